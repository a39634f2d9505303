import type { ByteReader } from './byteReader';
import { decodedText, type Texts } from './texts';

const OPEN = /<metadata>\s*<!\[CDATA\[/;
/** ComfyUI hides nothing in its texts that looks like an end. */
const CLOSE = /\]\]>\s*<\/metadata>/;

/** ComfyUI writes one JSON of both graphs behind the first tag. */
export async function readSvg(reader: ByteReader, texts: Texts): Promise<void> {
	const text = decodedText(await reader.rest());
	const open = OPEN.exec(text);
	if (open === null) return;
	const inside = text.slice(open.index + open[0].length);
	const close = CLOSE.exec(inside);
	if (close !== null) texts.comment = inside.slice(0, close.index);
}
