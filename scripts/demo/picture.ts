import { randomInt } from 'node:crypto';
import sharp from 'sharp';
import type { WorkflowDocument } from '../n8nHost';
import { DemoFailure } from './failure';

const WIDTH = 320;
const HEIGHT = 200;
const HILLS = 3;
/** The node of the example that holds the picture as base64, in its first field. */
const PICTURE_NODE = 'Picture As Text';

export interface RandomPicture {
	png: Buffer;
	size: string;
}

interface SetParameters {
	assignments: { assignments: Array<{ name: string; value: string; type: string }> };
}

/** A sun above hills: something to look at, and another one each time. */
function landscape(): string {
	const hue = randomInt(360);
	const hills = Array.from({ length: HILLS }, (_, index) => {
		const top = 90 + index * 35;
		const [left, middle, right] = [randomInt(-20, 20), randomInt(-40, 40), randomInt(-20, 20)].map((by) => top + by);
		const color = `hsl(${(hue + 140 + index * 25) % 360} 55% ${45 - index * 11}%)`;
		return `<path d="M0 ${left} Q ${randomInt(60, 260)} ${middle} ${WIDTH} ${right} V ${HEIGHT} H 0 Z" fill="${color}"/>`;
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
		<linearGradient id="sky" x2="0" y2="1"><stop stop-color="hsl(${hue} 70% 45%)"/><stop offset="1" stop-color="hsl(${(hue + 50) % 360} 85% 80%)"/></linearGradient>
		<rect width="100%" height="100%" fill="url(#sky)"/>
		<circle cx="${randomInt(50, WIDTH - 50)}" cy="${randomInt(35, 80)}" r="${randomInt(16, 30)}" fill="hsl(${(hue + 80) % 360} 95% 75%)"/>
		${hills.join('')}
	</svg>`;
}

export async function randomPicture(): Promise<RandomPicture> {
	const png = await sharp(Buffer.from(landscape())).removeAlpha().png().toBuffer();
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
