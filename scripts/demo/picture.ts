import { randomFillSync } from 'node:crypto';
import sharp from 'sharp';
import type { WorkflowDocument } from '../n8nHost';
import { DemoFailure } from './failure';

const WIDTH = 96;
const HEIGHT = 64;
const CHANNELS = 3;
/** The node of the example that holds the picture as base64, in its first field. */
const PICTURE_NODE = 'Picture As Text';

export interface RandomPicture {
	png: Buffer;
	size: string;
}

interface SetParameters {
	assignments: { assignments: Array<{ name: string; value: string; type: string }> };
}

export async function randomPicture(): Promise<RandomPicture> {
	const pixels = randomFillSync(Buffer.alloc(WIDTH * HEIGHT * CHANNELS));
	const png = await sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: CHANNELS } }).png().toBuffer();
	return { png, size: `${WIDTH} x ${HEIGHT}` };
}

/** The example with this picture in place of the one it ships. */
export function withPicture(example: WorkflowDocument, png: Buffer): WorkflowDocument {
	const document = structuredClone(example);
	const parameters = document.nodes.find(({ name }) => name === PICTURE_NODE)?.parameters as SetParameters | undefined;
	const field = parameters?.assignments.assignments[0];
	if (!field) throw new Error(`The example has no node "${PICTURE_NODE}" with a field for the picture`);
	field.value = png.toString('base64');
	return document;
}

/** The example's graph inverts every colour; computed here a second time, by another way. */
export async function checkInverted(input: Buffer, output: Buffer): Promise<number> {
	const expected = await sharp(input).negate({ alpha: false }).removeAlpha().raw().toBuffer({ resolveWithObject: true });
	const saved = await sharp(output).removeAlpha().raw().toBuffer({ resolveWithObject: true });
	const sizes = [expected, saved].map(({ info }) => `${info.width} x ${info.height}`);
	if (sizes[0] !== sizes[1]) {
		throw new DemoFailure(`The saved picture is ${sizes[1]}, not ${sizes[0]}`, 'Run the demo again; if it stays so, the graph or the sandbox is wrong.');
	}
	const differing = expected.data.filter((value, index) => value !== saved.data[index]).length;
	if (differing > 0) {
		throw new DemoFailure(
			`${differing} of ${expected.data.length} colour values of the saved picture differ from the inverted input`,
			'Run the demo again; if it stays so, the graph or the sandbox is wrong.',
		);
	}
	return expected.info.width * expected.info.height;
}
