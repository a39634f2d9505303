/**
 * n8n's engine in a process of its own, so that its memory can be weighed: runs each operation on a small file to warm up,
 * then on a large one, and prints how far the memory in use grew in between.
 *
 * node --expose-gc --import tsx largeFilesChild.ts '<tasks as JSON>'
 */
import './typescriptFirst';

import { Readable } from 'node:stream';

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
	growthBytes: number;
	/** How often the memory was read while the large file was on its way. */
	samples: number;
	/** The last node's first item. */
	item: unknown;
}

/** Between two readings, each of which takes longer than this because it collects garbage. */
const PAUSE_MS = 10;
const CHUNK_BYTES = 1024 * 1024;

/** Garbage does not count, however late it is collected: the second collection waits until the buffers of the first one are free. */
function usedBytes(): number {
	for (let times = 0; times < 2; times++) global.gc?.();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

/** The most that was in use, and how often that was read. */
const weighed = { most: 0, samples: 0 };

/** Different chunks of a byte that is in no multipart boundary: the sandbox's parser is slow on those that are. */
function* chunks(sizeBytes: number): Generator<Buffer> {
	for (let at = 0; at < sizeBytes; at += CHUNK_BYTES) {
		const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, sizeBytes - at), 0xa5);
		chunk.writeUInt32LE(at / CHUNK_BYTES);
		yield chunk;
	}
	// Making the file is not the work of the node.
	Object.assign(weighed, { most: 0, samples: 0 });
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
	return runRun(credential, graph, { parameters: { files: { values: [{ input, ...row }] } } });
}

async function run(task: LargeFilesTask, what: number | string): Promise<unknown[]> {
	const { status, outputs, error } = await runNode(runOf(task, what));
	if (status !== 'success') throw new Error(error?.message);
	return outputs[0] ?? [];
}

async function weigh(task: LargeFilesTask): Promise<LargeFilesReport> {
	await run(task, task.small);
	const before = usedBytes();
	Object.assign(weighed, { most: 0, samples: 0 });
	const sampleAgain = (): void => {
		weighed.most = Math.max(weighed.most, usedBytes());
		weighed.samples++;
		next = setTimeout(sampleAgain, PAUSE_MS);
	};
	let next = setTimeout(sampleAgain, PAUSE_MS);
	const [item] = await run(task, task.large);
	clearTimeout(next);
	return { growthBytes: weighed.most - before, samples: weighed.samples, item };
}

async function main(tasks: LargeFilesTask[]): Promise<LargeFilesReport[]> {
	const reports: LargeFilesReport[] = [];
	for (const task of tasks) reports.push(await weigh(task));
	return reports;
}

void main(JSON.parse(String(process.argv[2])) as LargeFilesTask[]).then((reports) => {
	process.stdout.write(`${JSON.stringify(reports)}\n`, () => process.exit(0));
});
