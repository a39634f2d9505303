/**
 * n8n's engine in a process of its own, so that its memory can be weighed: runs one operation on a small file to warm up,
 * then on a large one, and prints how far the resident set grew above where it stood in between.
 *
 * node --expose-gc --import tsx largeFilesChild.ts '<task as JSON>'
 */
import './typescriptFirst';

import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import { type Credential, type NodeRun, runNode } from './engine';
import { downloadRun, uploadRun } from './files';
import { colorGraph } from './graphs';
import { runRun } from './run';

export interface LargeFilesTask {
	credential: Credential;
	/** `row`: a file of the item as a row of Run Workflow; `web`: one from a URL. */
	direction: 'up' | 'down' | 'row' | 'web';
	/** Size of the file to upload, id of the job to download, or the URL. */
	small: number | string;
	large: number | string;
}

export interface LargeFilesReport {
	baselineBytes: number;
	peakBytes: number;
	/** The last node's first item. */
	item: unknown;
	items: number;
}

const SAMPLE_EVERY_MS = 20;
const CHUNK_BYTES = 1024 * 1024;
/** Lets garbage of the warm-up go before the baseline is taken. */
const SETTLE_MS = 300;

let peakBytes = 0;
const sample = () => (peakBytes = Math.max(peakBytes, process.memoryUsage.rss()));

/** Making the input file leaves garbage that is not the node's: it goes before the node starts, and is not counted. */
function weighFromHere(): void {
	global.gc?.();
	peakBytes = process.memoryUsage.rss();
}

/** Different chunks of a byte that is in no multipart boundary: the sandbox's parser is slow on those that are. */
function* chunks(sizeBytes: number): Generator<Buffer> {
	for (let at = 0; at < sizeBytes; at += CHUNK_BYTES) {
		const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, sizeBytes - at), 0xa5);
		chunk.writeUInt32LE(at / CHUNK_BYTES);
		yield chunk;
	}
	weighFromHere();
}

function runOf({ credential, direction }: LargeFilesTask, what: number | string): NodeRun {
	if (direction === 'down') return downloadRun(credential, [String(what)]);
	if (direction === 'web') return withFile(credential, { from: 'url', url: what });
	const content = Readable.from(chunks(Number(what)), { objectMode: false });
	const items = [{ files: { data: { content, fileName: 'large.bin', mimeType: 'application/octet-stream' } } }];
	return direction === 'up'
		? uploadRun(credential, items)
		: { ...withFile(credential, { from: 'binary', binaryPropertyName: 'data' }), items };
}

/** A node that nothing is linked to takes the file, so that ComfyUI does not read it and only its upload is weighed. */
function withFile(credential: Credential, row: IDataObject): NodeRun {
	const graph = { ...colorGraph(1), '3': { class_type: 'LoadImage', inputs: { image: 'small.png' } } };
	const input = { mode: 'name', value: '3.image' };
	return runRun(credential, graph, { parameters: { files: { values: [{ input, ...row }] }, options: { largestFileMb: 1_024 } } });
}

async function run(task: LargeFilesTask, what: number | string): Promise<unknown[]> {
	const { status, outputs, error } = await runNode(runOf(task, what));
	if (status !== 'success') throw new Error(error?.message);
	return outputs[0] ?? [];
}

async function main(task: LargeFilesTask): Promise<LargeFilesReport> {
	await run(task, task.small);
	global.gc?.();
	await sleep(SETTLE_MS);
	const baselineBytes = process.memoryUsage.rss();
	weighFromHere();
	const sampler = setInterval(sample, SAMPLE_EVERY_MS);
	const items = await run(task, task.large);
	clearInterval(sampler);
	return { baselineBytes, peakBytes, item: items[0], items: items.length };
}

void main(JSON.parse(String(process.argv[2])) as LargeFilesTask).then((report) => {
	process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
});
