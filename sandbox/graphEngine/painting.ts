/** Paints an image for a prompt without a model. The prompt decides colors and subject, the seed positions and shapes. */
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import type { Frame } from './values';

interface PaintingRequest {
	width: number;
	height: number;
	model: string;
	prompt: string;
	negative: string;
	/** As digits, so that large seeds stay different. */
	seed: string;
	/** The number of sparks. */
	strokes: number;
	/** Saturation of the colors, from 0 to 100. */
	strength: number;
	/** Sampler and scheduler, which change the sparks. */
	style: string;
}

interface Canvas {
	width: number;
	height: number;
	random: () => number;
	isSnowy: boolean;
	/** A color of the prompt. @param place from 0 to 1 in its range of colors. @param light in percent. */
	color(place: number, light: number, opacity?: number): string;
	/** The same canvas with hues turned by so many degrees. */
	turned(degrees: number): Canvas;
}

/** Hues of common words. Other prompts get a random hue. */
const HUES: ReadonlyArray<[RegExp, number]> = [
	[/\bred fox\b/i, 18],
	[/\b(red|fire|rose|cherry|ruby)/i, 352],
	[/\b(sunset|orange|autumn|fox|desert|copper)/i, 20],
	[/\b(gold|golden|yellow|sun|sunny|wheat|lemon)/i, 45],
	[/\b(green|forest|meadow|jungle|moss)/i, 125],
	[/\b(teal|turquoise|lagoon|mint)/i, 172],
	[/\b(sea|ocean|lighthouse|blue|sky|ice|winter)/i, 208],
	[/\b(night|moon|midnight|galaxy|space)/i, 238],
	[/\b(purple|violet|lavender|magic|neon)/i, 278],
	[/\b(pink|blossom|candy)/i, 325],
];

const SUBJECTS: ReadonlyArray<[RegExp, (canvas: Canvas) => string]> = [
	[/\bfox(es)?\b/i, fox],
	[/\b(flower|rose|blossom|garden|bouquet|tulip)s?\b/i, flower],
	[/\b(city|street|skyline|tower|house|building)s?\b/i, towers],
	[/\b(mountain|hill|landscape|lighthouse|sea|desert|forest|valley|scenery)s?\b/i, ridges],
	[/\b(bubble|planet|galaxy|abstract|snow|balloon)s?\b/i, bubbles],
];

export async function paint(request: PaintingRequest): Promise<Frame> {
	const { width, height, prompt, model, seed } = request;
	const idea = seededRandom(prompt.trim().toLowerCase());
	const [ownHue, spread, motif] = [idea() * 360, 35 + idea() * 75, idea()];
	const hue = (HUES.find(([words]) => words.test(prompt))?.[1] ?? ownHue) + (seededRandom(model)() - 0.5) * 24;
	const saturation = Math.min(95, 25 + request.strength * 5);
	const random = seededRandom(JSON.stringify([prompt, seed]));
	const canvasOf = (from: number): Canvas => ({
		width,
		height,
		random,
		isSnowy: /\bsnow/i.test(prompt),
		color: (place, light, opacity = 1) =>
			`hsla(${((from + place * spread + 720) % 360).toFixed(1)},${saturation.toFixed(1)}%,${light.toFixed(1)}%,${opacity.toFixed(2)})`,
		turned: (degrees) => canvasOf(from + degrees),
	});
	const canvas = canvasOf(hue);
	const draw = (SUBJECTS.find(([words]) => words.test(prompt)) ?? SUBJECTS[Math.floor(motif * SUBJECTS.length)])?.[1] ?? ridges;
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${sky(draw === fox ? behindFox(canvas) : canvas)}${draw(canvas)}${strokes(canvas, request)}</svg>`;
	const data = await sharp(Buffer.from(svg)).resize(width, height, { fit: 'fill' }).flatten().toColourspace('srgb').raw().toBuffer();
	return { width, height, data };
}

const at = (number: number): string => number.toFixed(1);
const times = (count: number, draw: (index: number) => string): string =>
	Array.from({ length: count }, (_none, index) => draw(index)).join('');
const disc = (x: number, y: number, radius: number, fill: string): string =>
	`<circle cx="${at(x)}" cy="${at(y)}" r="${at(radius)}" fill="${fill}"/>`;

function sky({ width, height, random, color }: Canvas): string {
	const [x, y, radius] = [
		(0.15 + random() * 0.7) * width,
		(0.14 + random() * 0.3) * height,
		(0.06 + random() * 0.07) * Math.min(width, height),
	];
	const halo = times(4, (ring) => disc(x, y, radius * (4.2 - ring * 0.85), color(0.9, 84, 0.1)));
	return `<linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${color(0, 24)}"/><stop offset="0.55" stop-color="${color(0.5, 56)}"/><stop offset="1" stop-color="${color(1, 82)}"/></linearGradient><rect width="${width}" height="${height}" fill="url(#sky)"/>${halo}${disc(x, y, radius, color(1, 93))}`;
}

/** Hills behind hills, paler with distance; with snow, whiter in front. */
function ridges({ width, height, random, color, isSnowy }: Canvas): string {
	return times(5, (row) => {
		const light = isSnowy ? 62 + row * 7.5 : 58 - row * 11.5;
		const base = height * (0.5 + row * 0.115);
		const waves = [1, 2.3, 5.1].map((pace, order) => ({
			pace: pace * (1 + random()),
			shift: random() * 7,
			tall: (height * 0.07) / (order + 1),
		}));
		const points = Array.from({ length: 49 }, (_none, step) => {
			const rise = waves.reduce((sum, { pace, shift, tall }) => sum + Math.sin((step / 48) * pace * Math.PI + shift) * tall, 0);
			return `${at((step / 48) * width)},${at(base - rise)}`;
		});
		return `<polygon points="0,${height} ${points.join(' ')} ${width},${height}" fill="${color(0.85 - row * 0.22, light)}"/>`;
	});
}

/** Towers of a city with some lit windows. */
function towers({ width, height, random, color }: Canvas): string {
	return times(3, (row) => {
		const light = 46 - row * 14;
		const count = 9 + row * 2;
		return times(count, (index) => {
			const [x, wide, tall] = [
				((index - 0.3 + random() * 0.4) / count) * width,
				(width / count) * (0.7 + random() * 0.5),
				height * (0.62 - row * 0.14) * (0.45 + random() * 0.55),
			];
			const windows = times(row === 0 ? 0 : 10, () =>
				random() < 0.5
					? ''
					: `<rect x="${at(x + wide * (0.12 + 0.68 * random()))}" y="${at(height - tall * (0.1 + 0.82 * random()))}" width="${at(wide * 0.11)}" height="${at(wide * 0.16)}" fill="${color(1, 84, 0.85)}"/>`,
			);
			return `<rect x="${at(x)}" y="${at(height - tall)}" width="${at(wide)}" height="${at(tall)}" fill="${color(0.2 * row, light)}"/>${windows}`;
		});
	});
}

/** Large translucent discs. */
function bubbles({ width, height, random, color }: Canvas): string {
	return times(26, (index) => {
		const radius = Math.min(width, height) * (0.03 + random() ** 2 * 0.24);
		const [x, y] = [random() * width, (0.25 + random() * 0.8) * height];
		return (
			disc(x, y, radius, color(index / 26, 34 + random() * 40, 0.5)) +
			disc(x - radius * 0.3, y - radius * 0.32, radius * 0.22, color(1, 95, 0.5))
		);
	});
}

/** One large flower. */
function flower({ width, height, random, color }: Canvas): string {
	const [x, y, size] = [(0.3 + random() * 0.4) * width, (0.5 + random() * 0.12) * height, Math.min(width, height) * (0.3 + random() * 0.1)];
	const petals = 7 + Math.floor(random() * 8);
	const turned = random() * 360;
	const whorl = (ring: number): string =>
		times(petals, (index) => {
			const [long, turn] = [size * (1 - ring * 0.24), turned + ring * 13 + (index * 360) / petals];
			return `<ellipse cx="${at(x + long * 0.55)}" cy="${at(y)}" rx="${at(long * 0.58)}" ry="${at((long * 2.1) / petals)}" fill="${color(ring / 3 + (index % 2) * 0.12, 38 + ring * 13, 0.8)}" transform="rotate(${at(turn)} ${at(x)} ${at(y)})"/>`;
		});
	return `${times(4, whorl)}${disc(x, y, size * 0.17, color(1, 88))}${disc(x, y, size * 0.11, color(0, 40))}`;
}

/** Paths around the center of its head, about a hundred units tall. */
const FOX = {
	tail: 'M18 84C76 96 92 40 62 14 64 46 46 66 16 68Z',
	tailTip: 'M62 14C73 23 78 35 76 48 68 44 62 38 61 30 62 25 63 19 62 14Z',
	body: 'M-22 30C-42 62-36 92 0 92S42 62 22 30Z',
	bib: 'M-14 32C-22 56-14 74 0 80 14 74 22 56 14 32Z',
	ears: 'M-36-16-36-56-8-33ZM36-16 36-56 8-33Z',
	innerEars: 'M-31-26-32-46-17-34ZM31-26 32-46 17-34Z',
	head: 'M-38-18C-30-40 30-40 38-18 42 4 20 28 0 37-20 28-42 4-38-18Z',
	cheeks: 'M-38-10C-22-10-8 4 0 14 8 4 22-10 38-10 37 10 18 29 0 37-18 29-37 10-38-10Z',
	asleep: 'M-21-3Q-15 4-9-3M21-3Q15 4 9-3',
};

/** The background in other colors, for contrast. */
const behindFox = (canvas: Canvas): Canvas => canvas.turned(185);

/** A fox in front of hills. The seed decides its position, its size, the tilt of its head, and whether it is awake. */
function fox(canvas: Canvas): string {
	const { width, height, random, color } = canvas;
	const hills = ridges(behindFox(canvas));
	const [x, y, size] = [
		(0.34 + random() * 0.3) * width,
		(0.46 + random() * 0.1) * height,
		Math.min(width, height) * (0.0042 + random() * 0.0014),
	];
	const [side, tilt, isAwake] = [random() < 0.5 ? -1 : 1, (random() - 0.5) * 26, random() < 0.75];
	const [coat, shade, white, dark] = [color(0, 54), color(0, 40), color(0.1, 96), 'hsl(230,30%,14%)'];
	const shape = (path: string, fill: string): string => `<path d="${path}" fill="${fill}"/>`;
	const eye = (place: number): string =>
		`<ellipse cx="${place}" cy="-3" rx="4" ry="5.4" fill="${dark}"/>${disc(place + 1.3, -5, 1.5, 'white')}`;
	const eyes = isAwake
		? eye(-15) + eye(15)
		: `<path d="${FOX.asleep}" fill="none" stroke="${dark}" stroke-width="2.6" stroke-linecap="round"/>`;
	const body = shape(FOX.tail, shade) + shape(FOX.tailTip, white) + shape(FOX.body, coat) + shape(FOX.bib, white);
	const head = shape(FOX.ears, coat) + shape(FOX.innerEars, dark) + shape(FOX.head, coat) + shape(FOX.cheeks, white);
	const nose = `<ellipse cx="0" cy="32" rx="6" ry="4.8" fill="${dark}"/>`;
	const placed = `translate(${at(x)} ${at(y)}) scale(${(side * size).toFixed(4)} ${size.toFixed(4)})`;
	return `${hills}<g transform="${placed}">${body}<g transform="rotate(${at(tilt)} 0 20)">${head}${eyes}${nose}</g></g>`;
}

/** Paints one spark for each step, so that every setting of a sampler changes the image. */
function strokes({ width, height, color }: Canvas, { seed, prompt, negative, style, strokes: count, strength }: PaintingRequest): string {
	const random = seededRandom(JSON.stringify([prompt, negative, seed, style, strength]));
	const most = Math.min(count, 200);
	return times(most, () =>
		disc(
			random() * width,
			random() * height * 0.75,
			Math.min(width, height) * (0.002 + random() * 0.006),
			color(random(), 90, 0.35 + random() * 0.5),
		),
	);
}

/** Random numbers from 0 to 1. The same text gives the same numbers on all machines. */
function seededRandom(text: string): () => number {
	let state = createHash('sha256').update(text).digest().readUInt32LE(0);
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
