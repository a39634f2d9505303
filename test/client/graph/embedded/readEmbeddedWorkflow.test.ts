import { createReadStream, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';

import { type EmbeddedWorkflow, exactText, readEmbeddedWorkflow } from '../../../../client';
import { cpuMs } from '../../../support/cpuTime';

/** Made by Pillow, PyAV and safetensors: see make.py. */
const FILES = join(__dirname, 'files');

const PROMPT =
	'{"3":{"class_type":"KSampler","inputs":{"seed":18446744073709551615,"cfg":7.5,"positive":["6",0]},"_meta":{"title":"KSampler"}},"6":{"class_type":"CLIPTextEncode","inputs":{"text":"größe 猫 \\"NaN\\" </metadata> ]]>; #1 = 50\\\\%\\nline"},"_meta":{"title":"Prompt"}}}';
const EDITOR_SEED = '"widgets_values":[18446744073709551615,"fixed",20,7.5]';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}
const of = async (bytes: Uint8Array | string, size = 1024): Promise<EmbeddedWorkflow | undefined> =>
	await readEmbeddedWorkflow(inPieces(Buffer.from(bytes as string), size));
const file = async (name: string): Promise<Buffer> => await readFile(join(FILES, name));

/** The kind of each ending that differs from its kind. */
const KINDS: Record<string, EmbeddedWorkflow['kind']> = {
	mov: 'mp4',
	mkv: 'matroska',
	webm: 'matroska',
	opus: 'ogg',
	latent: 'safetensors',
};
const WITHOUT_BOTH_GRAPHS = ['is-changed.png', 'no-numbers.png', 'webui.png', 'bare.png'];

describe.each(readdirSync(FILES).filter((name) => !WITHOUT_BOTH_GRAPHS.includes(name)))('%s', (name) => {
	it('contains both graphs with every digit', async () => {
		const found = await readEmbeddedWorkflow(createReadStream(join(FILES, name)));
		const ending = name.split('.')[1] ?? '';
		expect(found).toMatchObject({ kind: KINDS[ending] ?? ending, isForeign: false, lostNumbers: 0 });
		expect(found).not.toHaveProperty('unreadable');
		expect(exactText(found?.api)).toBe(PROMPT);
		expect(exactText(found?.editor)).toContain(EDITOR_SEED);
	});

	it('is read in pieces of any size', async () => {
		for (const size of [1, 7]) expect(exactText((await of(await file(name), size))?.api)).toBe(PROMPT);
	});

	it('is read without an error if it is cut off anywhere, or has wrong bytes', async () => {
		const bytes = await file(name);
		const step = Math.max(1, Math.floor(bytes.byteLength / 97));
		for (let length = 0; length < bytes.byteLength; length += step) await of(bytes.subarray(0, length));
		for (let at = 0; at < bytes.byteLength; at += 3) {
			const broken = Buffer.from(bytes);
			broken[at] = (at * 89 + 255) & 0xff;
			await of(broken, 100_000);
		}
	});
});

it('NaN beside the inputs, which older versions wrote, does not count as lost', async () => {
	const found = await of(await file('is-changed.png'));
	expect(found).toMatchObject({ kind: 'png', lostNumbers: 0 });
	expect(exactText(found?.api)).toBe(PROMPT);
});

it('NaN and Infinity in inputs count as lost numbers', async () => {
	expect(await of(await file('no-numbers.png'))).toMatchObject({
		lostNumbers: 2,
		api: { 3: { inputs: { cfg: null, denoise: null, text: 'NaN' } } },
	});
	const two = [
		text('prompt={"1":{"class_type":"A","inputs":{"a":NaN}}}'),
		text('workflow={"nodes":[{"widgets_values":[NaN]}],"links":[]}'),
	];
	expect(await of(png(...two, END))).toMatchObject({ lostNumbers: 2, api: {}, editor: {} });
});

it('an image of another program differs from an image without metadata', async () => {
	expect(await of(await file('webui.png'))).toEqual({ kind: 'png', isForeign: true, lostNumbers: 0 });
	expect(await of(await file('bare.png'))).toEqual({ kind: 'png', isForeign: false, lostNumbers: 0 });
});

const chunk = (type: string, body: Buffer | string, length = Buffer.byteLength(body)): Buffer => {
	const head = Buffer.alloc(8);
	head.writeUInt32BE(length, 0);
	head.write(type, 4, 'latin1');
	return Buffer.concat([head, Buffer.from(body as string), Buffer.alloc(4)]);
};
const text = (keyAndText: string): Buffer => chunk('tEXt', keyAndText.replace('=', '\0'));
const png = (...chunks: Buffer[]): Buffer => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
const EDITOR = text('workflow={"nodes":[],"links":[]}');
const IMAGE = chunk('IDAT', 'x');
const END = chunk('IEND', '');
const NOTHING = { kind: 'png', isForeign: false, lostNumbers: 0 };

it('a few bytes that unpack to gigabytes are not unpacked, and a text with a length of gigabytes is not read', async () => {
	const bomb = deflateSync(Buffer.alloc(40 * 1024 * 1024, ' '));
	expect(await of(png(chunk('zTXt', Buffer.concat([Buffer.from('prompt\0\0'), bomb]))))).toMatchObject({
		unreadable: expect.stringContaining('longer than 32 MB'),
	});
	expect(await of(png(chunk('zTXt', 'prompt\0\0no zip')))).toEqual(NOTHING);
	const found = await of(png(chunk('tEXt', `prompt\0${PROMPT}`, 2 ** 31)));
	expect(found).toEqual({ ...NOTHING, unreadable: 'it is longer than 32 MB' });
});

it('a large image is not kept in memory', async () => {
	const piece = Buffer.alloc(1024 * 1024);
	let asked = 0;
	async function* large(): AsyncGenerator<Uint8Array> {
		yield png(chunk('IDAT', '', 512 * 1024 * 1024)).subarray(0, 16);
		for (; asked < 512; asked++) yield piece;
		yield Buffer.concat([Buffer.alloc(4), text(`prompt=${PROMPT}`), END]);
	}
	const before = process.memoryUsage().rss;
	const found = await readEmbeddedWorkflow(large());
	expect(exactText(found?.api)).toBe(PROMPT);
	expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
});

describe('F: a PNG with two chunks of the same name', () => {
	const first = text('prompt={"1":{"class_type":"A","inputs":{}}}');
	const second = text('prompt={"1":{"class_type":"B","inputs":{}}}');

	it.each([
		['before the picture', png(first, second, IMAGE, END)],
		['behind a whole pair', png(first, EDITOR, second, IMAGE, END)],
		['behind the picture', png(first, IMAGE, second, END)],
	])('F: is refused if they differ (%s), because ComfyUI would take the other one', async (_, file) => {
		const found = await of(file);
		expect(found).toMatchObject({ kind: 'png', unreadable: 'it has two different graphs of the same name' });
		expect(found?.api).toBeUndefined();
	});

	it('F: is read if they are the same', async () => {
		expect(await of(png(first, first, EDITOR, END))).toMatchObject({ api: { 1: { class_type: 'A' } }, editor: { nodes: [] } });
	});

	it('F: of a JSON text with duplicate keys takes the last, as Python and browsers do', async () => {
		const node = (name: string) => `"1":{"class_type":"${name}","inputs":{"seed":1,"seed":18446744073709551615}}`;
		const found = await of(png(text(`prompt={${node('A')},${node('B')}}`), END));
		expect(exactText(found?.api)).toBe('{"1":{"class_type":"B","inputs":{"seed":18446744073709551615}}}');
	});
});

it('the source is closed as soon as both graphs are read', async () => {
	let isClosed = false;
	async function* endless(): AsyncGenerator<Uint8Array> {
		try {
			yield png(text(`prompt=${PROMPT}`), EDITOR, chunk('IDAT', '', 2 ** 31));
			for (;;) yield Buffer.alloc(1024);
		} finally {
			isClosed = true;
		}
	}
	expect(await readEmbeddedWorkflow(endless())).toMatchObject({ editor: { nodes: [], links: [] } });
	expect(isClosed).toBe(true);
});

it.each<[string, Buffer[], object]>([
	['a comment of NovelAI alone', [text('Comment={"prompt": "a red fox, best quality", "steps": 28, "uc": "blurry"}')], { isForeign: true }],
	['a prompt of Easy Diffusion alone', [text('prompt=a red fox, best quality')], { isForeign: true }],
	[
		'a comment beside a graph',
		[text('Comment={"prompt":{"1":{"class_type":"A","inputs":{}}}}'), EDITOR],
		{ editor: { nodes: [], links: [] } },
	],
	['a prompt beside an editor’s file', [text('prompt=a red fox'), EDITOR], { editor: { nodes: [], links: [] } }],
])('words in the place of a graph are not quoted, and hide no other graph: %s', async (_, texts, expected) => {
	expect(await of(png(...texts, END))).toEqual({ ...NOTHING, ...expected });
});

it('a damaged text is reported as unreadable, but not beside a graph', async () => {
	expect(await of(png(text('prompt={"3": {'), END))).toMatchObject({ unreadable: expect.stringMatching(/^it is not valid JSON: /) });
	expect(await of(png(text('prompt={"3": {'), EDITOR, END))).toEqual({ ...NOTHING, editor: { nodes: [], links: [] } });
});

/** Numbers of four bytes. */
const uint32 = (value: number, isLittleEndian = false): Buffer => {
	const bytes = Buffer.alloc(4);
	if (isLittleEndian) bytes.writeUInt32LE(value);
	else bytes.writeUInt32BE(value);
	return bytes;
};

it('a FLAC file whose comments are its last block is read', async () => {
	const comment = Buffer.from(`prompt=${PROMPT}`);
	const comments = Buffer.concat([uint32(0), uint32(1, true), uint32(comment.byteLength, true), comment]);
	const head = uint32(comments.byteLength);
	head[0] = 0x84;
	expect(exactText((await of(Buffer.concat([Buffer.from('fLaC'), head, comments])))?.api)).toBe(PROMPT);
});

it('an MP3 with the version 2.3 of ID3 is read, which has other lengths than 2.4', async () => {
	const body = Buffer.concat([Buffer.from([3]), Buffer.from(`prompt\0${PROMPT}`)]);
	const frame = Buffer.concat([Buffer.from('TXXX'), uint32(body.byteLength), Buffer.alloc(2), body]);
	const size = Buffer.from([0, 0, frame.byteLength >> 7, frame.byteLength & 0x7f]);
	expect(exactText((await of(Buffer.concat([Buffer.from('ID3'), Buffer.from([3, 0, 0]), size, frame])))?.api)).toBe(PROMPT);
});

it('an MP4 with a box of a long length is read', async () => {
	const film = await file('film.mp4');
	const next = film.indexOf('mdat') - 4;
	const long = Buffer.concat([uint32(1), Buffer.from('free'), uint32(0), uint32(16 + 5), Buffer.alloc(5)]);
	const found = await of(Buffer.concat([film.subarray(0, next), long, film.subarray(next)]));
	expect(exactText(found?.api)).toBe(PROMPT);
});

describe('JSON', () => {
	it.each<[string, string, object]>([
		['an API graph', PROMPT, { api: { 3: { class_type: 'KSampler' } } }],
		['an editor’s file', '{"nodes":[],"links":[]}', { editor: { nodes: [] } }],
		['an editor’s file without links', '{"nodes":[{"id":1}],"version":1}', { editor: { version: 1 } }],
		[
			'a body as it is submitted',
			`{"prompt":${PROMPT},"extra_data":{"extra_pnginfo":{"workflow":{"nodes":[],"links":[]}}}}`,
			{ api: { 3: {} }, editor: { nodes: [] } },
		],
		['a list of one item of n8n', `[{"workflow":${PROMPT}}]`, { api: { 3: {} } }],
		['a job’s answer', `{"workflow":${PROMPT},"format":"api"}`, { api: { 3: {} } }],
		['a mark of Windows in front', `\uFEFF \n{"nodes":[],"links":[]}`, { editor: {} }],
		['NaN', '{"3":{"class_type":"A","inputs":{"a":NaN}}}', { lostNumbers: 1 }],
	])('that holds %s is read', async (_, text, expected) => {
		expect(await of(text)).toMatchObject({ kind: 'json', ...expected });
	});

	it('is read in 16 bits of both byte orders', async () => {
		const bytes = Buffer.from('\uFEFF{"nodes":[],"links":[]}', 'utf16le');
		for (const one of [bytes, Buffer.from(bytes).swap16()]) expect(await of(one)).toMatchObject({ kind: 'json', editor: { nodes: [] } });
	});

	it.each([
		['NaN', '[' + 'NaN,'.repeat(7e6) + '1]'],
		['numbers with an exponent', '[' + '1e10,'.repeat(5e6) + '1]'],
		['empty objects', '[' + '{},'.repeat(9e6) + '1]'],
	])('F3: refuses a file of millions of %s before it is parsed', async (_, text) => {
		const bytes = Buffer.from(text);
		const usedBefore = cpuMs();
		expect(await of(bytes, bytes.byteLength)).toMatchObject({ kind: 'json', unreadable: 'it has more than 500,000 values' });
		expect(cpuMs() - usedBefore).toBeLessThan(1_500);
	});

	it('F3: reads a file whose texts hold millions of commas and brackets', async () => {
		const text = `{"9":{"class_type":"Text","inputs":{"text":"${'[,\\"'.repeat(1e6)}","number":NaN}}}`;
		expect(await of(text, 1 << 20)).toMatchObject({ api: { 9: { class_type: 'Text' } }, lostNumbers: 1 });
	});

	it('that is invalid is reported as unreadable', async () => {
		expect(await of('{"nodes": [')).toMatchObject({ kind: 'json', unreadable: expect.stringMatching(/^it is not valid JSON: /) });
		expect(await of('[1, 2]')).toEqual({ kind: 'json', isForeign: false, lostNumbers: 0 });
		expect(await of(`{"a": NaN, "b": ${'['.repeat(200_000)}`)).toMatchObject({ unreadable: expect.any(String) });
	});

	it('keys such as __proto__ are ordinary names', async () => {
		const found = await of('{"__proto__":{"class_type":"A","inputs":{"a":NaN}},"constructor":{"class_type":"B","inputs":{}}}');
		expect(Object.keys(found?.api as object)).toEqual(['__proto__', 'constructor']);
	});
});

it.each(['', 'hello', '\xff\xd8\xff\xe0\0\x10JFIF', '<!doctype html><html></html>'])('%j is another kind of file', async (text) =>
	expect(await of(Buffer.from(text, 'latin1'))).toBeUndefined(),
);

it('a short text in EXIF, which is stored in its entry, is not taken for the position of a text', async () => {
	const [ASCII, SHORT] = [2, 3];
	/** Begins behind the directory, at a number that is also the letter N and zeros. */
	const TEXT_AT = 'N'.charCodeAt(0);
	const text = 'prompt:{"1":{"class_type":"A","inputs":{}}}';
	const uint16 = (value: number): Buffer => Buffer.from([value & 0xff, value >> 8]);
	const entry = (tag: number, type: number, length: number, value: Buffer): Buffer =>
		Buffer.concat([uint16(tag), uint16(type), uint32(length, true), value]);
	const entries = [
		entry(0x0100, SHORT, 1, uint32(16, true)),
		entry(0x0001, ASCII, 2, Buffer.from('N\0\0\0')),
		entry(0x0110, ASCII, text.length, uint32(TEXT_AT, true)),
	];
	const directory = Buffer.concat([Buffer.from('II*\0'), uint32(8, true), uint16(entries.length), ...entries]);
	const exif = Buffer.concat([directory, Buffer.alloc(TEXT_AT - directory.byteLength), Buffer.from(text)]);
	const file = Buffer.concat([Buffer.from('RIFF'), uint32(0), Buffer.from('WEBPEXIF'), uint32(exif.byteLength, true), exif]);
	expect(await of(file)).toMatchObject({ api: { 1: { class_type: 'A' } } });
});
