/** The image that the sandbox generates instead of a model: it shows the prompt and the seed. */
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import type { Frame } from './values';

interface PictureRequest {
	width: number;
	height: number;
	prompt: string;
	/** As digits, so that large seeds stay different. */
	seed: string;
	/** Everything else that changes the image. */
	settings?: readonly unknown[];
}

/** The text is laid out in a square of this size. */
const EDGE = 100;
const LETTERS_PER_LINE = 20;
const MOST_LINES = 9;
const LINE_HEIGHT = 9;

/** Returns white text on two colors. The colors depend on all fields of the request, so that no two requests give the same image. */
export async function drawPicture({ width, height, prompt, seed, settings = [] }: PictureRequest): Promise<Frame> {
	const colors = createHash('sha256')
		.update(JSON.stringify([prompt, seed, settings]))
		.digest('hex');
	const lines = [...wrapText(prompt).slice(0, MOST_LINES), `seed ${seed}`];
	const texts = lines.map((line, index) => `<text x="6" y="${(index + 1) * LINE_HEIGHT}">${escapeXml(line)}</text>`);
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${EDGE} ${EDGE}">
		<linearGradient id="colors" x2="0" y2="1">
			<stop offset="0" stop-color="#${colors.slice(0, 6)}"/><stop offset="1" stop-color="#${colors.slice(6, 12)}"/>
		</linearGradient>
		<rect x="-${width}" y="-${height}" width="${width * 3}" height="${height * 3}" fill="url(#colors)"/>
		<g font-family="sans-serif" font-size="8" fill="white" stroke="black" stroke-width="0.2">${texts.join('')}</g>
	</svg>`;
	const data = await sharp(Buffer.from(svg)).resize(width, height, { fit: 'fill' }).flatten().toColourspace('srgb').raw().toBuffer();
	return { width, height, data };
}

/** Splits a text between words. A longer word is split too. */
const wrapText = (text: string): string[] =>
	text.match(new RegExp(`\\S.{0,${LETTERS_PER_LINE - 1}}(?=\\s|$)|\\S.{0,${LETTERS_PER_LINE - 1}}`, 'gu')) ?? [];

/** Control characters are not allowed in XML. */
const escapeXml = (text: string): string =>
	text.replace(/[<>&\p{Cc}\p{Cs}]/gu, (sign) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;' })[sign] ?? ' ');
