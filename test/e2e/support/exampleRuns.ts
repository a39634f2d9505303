/** Runs of the examples, and what they made. */
import sharp from 'sharp';
import type { Execution, WorkflowDocument, WorkflowNode } from '../../../scripts/n8nHost/documents';

export function nodeOf({ name, nodes }: WorkflowDocument, wanted: string): WorkflowNode {
	const found = nodes.find((node) => node.name === wanted || node.type === wanted);
	if (!found) throw new Error(`${name} has no node ${wanted}`);
	return found;
}

export function succeeded(execution: Execution): Execution {
	expect(execution.data.resultData.error).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

interface Pixels {
	data: Buffer;
	width: number;
	height: number;
}

export async function pixelsOf(image: sharp.Sharp): Promise<Pixels> {
	const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
	return { data, width: info.width, height: info.height };
}
export const colorsOf = async (file: Buffer): Promise<Pixels> => await pixelsOf(sharp(file).removeAlpha());
