/** The steps of the demo, and the comparison of its images. */
import sharp from 'sharp';
import type { Execution, ExecutionError, WorkflowDocument } from '../n8nHost/documents';

/** A failure with a message for the user: what happened, then what to do. */
export class DemoFailure extends Error {
	constructor(
		message: string,
		readonly advice: string,
	) {
		super(message);
	}
}

/** Runs one part of the demo, and adds its name to the message of an error. */
export async function runStep<T>(name: string, advice: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof DemoFailure) throw error;
		throw new DemoFailure(`${name} failed: ${error instanceof Error ? error.message : String(error)}`, advice);
	}
}

const OURS = 'n8n-nodes-comfy.';

export const findNodeName = (document: WorkflowDocument, type: string): string => {
	const node = document.nodes.find((candidate) => candidate.type === type);
	if (!node) throw new Error(`The workflow "${document.name}" has no ${type} node`);
	return node.name;
};

const failureOf = (node: string, error: ExecutionError | undefined): DemoFailure =>
	new DemoFailure(`"${node}" failed: ${error?.message ?? 'n8n reports no reason'}`, error?.description ?? 'Read the log of n8n.');

/**
 * Prints each node of this package with its execution time.
 * @throws DemoFailure with the error that n8n shows, if a node failed or did not run.
 */
export function printSteps(document: WorkflowDocument, execution: Execution): void {
	const { runData, error } = execution.data.resultData;
	for (const { name } of document.nodes.filter(({ type }) => type.startsWith(OURS))) {
		const run = runData[name]?.at(-1);
		if (!run || run.error) throw failureOf(name, run?.error ?? error);
		console.log(`  ${name.padEnd(20)}${(run.executionTime / 1000).toFixed(2).padStart(6)} s`);
	}
	if (execution.status !== 'success') throw failureOf(execution.data.resultData.lastNodeExecuted ?? document.name, error);
}

const GAP = 16;

/** Joins images of the same size in a row. */
export async function joinImages(images: Buffer[]): Promise<Buffer> {
	const { width, height } = await sharp(images[0]).metadata();
	const row = { width: images.length * (width + GAP) - GAP, height, channels: 3 as const, background: 'white' };
	const layers = images.map((input, index) => ({ input, left: index * (width + GAP), top: 0 }));
	return await sharp({ create: row }).composite(layers).png().toBuffer();
}

const pixelsOf = async (image: Buffer): Promise<Uint32Array> =>
	new Uint32Array(new Uint8Array(await sharp(image).ensureAlpha().raw().toBuffer()).buffer);

/** The share of pixels that differ between two images of the same size, from 0 to 1. */
export async function differingShare(one: Buffer, other: Buffer): Promise<number> {
	const [before, after] = await Promise.all([pixelsOf(one), pixelsOf(other)]);
	return before.filter((pixel, index) => pixel !== after[index]).length / before.length;
}
