/** A process that reads hostile files: whoever waits for it can end it. */
import '../../../support/loopbackOnly';
import { carriedWorkflow } from '../../../../client/graph/carried';
import { HOSTILE_FILES } from './hostileFiles';

const CHUNK = 1024 * 1024;

async function* chunksOf(file: Buffer): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < file.length; at += CHUNK) yield await Promise.resolve(file.subarray(at, at + CHUNK));
}

async function main(): Promise<void> {
	for (const [name, make] of Object.entries(HOSTILE_FILES)) {
		const file = make();
		process.send?.({ begins: name });
		const found = await carriedWorkflow(chunksOf(file));
		process.send?.({ ended: name, hasGraph: found?.api !== undefined || found?.editor !== undefined });
	}
}

void main().then(() => process.disconnect());
