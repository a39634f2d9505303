import { contentTypeOf, type FileKind, HEAD_BYTES, isUnfit, typeOfFile } from '../../../client';
import { typeOfBytes } from '../../../client/files/fileType';
import { picture } from '../support/pictures';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const iso = (brand: string): Buffer => bytes(`\0\0\0\x20ftyp${brand}\0\0\0\0`);

describe('what a file is', () => {
	it.each<[string, Buffer]>([
		['image/jpeg', bytes('\xff\xd8\xff\xe0\0\x10JFIF')],
		['image/gif', bytes('GIF89a')],
		['image/webp', bytes('RIFF\x10\0\0\0WEBPVP8 ')],
		['audio/wav', bytes('RIFF\x10\0\0\0WAVEfmt ')],
		['video/x-msvideo', bytes('RIFF\x10\0\0\0AVI LIST')],
		['image/avif', iso('avif')],
		['image/heic', iso('heic')],
		['video/mp4', iso('isom')],
		['video/quicktime', iso('qt  ')],
		['audio/mp4', iso('M4A ')],
		['video/webm', bytes('\x1aE\xdf\xa3\x9fB\x82\x84webm')],
		['video/x-matroska', bytes('\x1aE\xdf\xa3\x9fB\x82\x88matroska')],
		['audio/flac', bytes('fLaC\0\0')],
		['audio/mpeg', bytes('ID3\x04\0')],
		['application/pdf', bytes('%PDF-1.7\n')],
		['application/zip', bytes('PK\x03\x04\x14\0')],
		['image/svg+xml', bytes('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>')],
		['application/xml', bytes('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>')],
		['application/json', bytes('\n {"error": "not found"}')],
		['text/html', bytes('\xef\xbb\xbf\n<!-- page --> <!DOCTYPE html><html>')],
		['text/html', bytes('<HTML><body>Bitte einloggen: f\xfcr alle')],
		['text/plain', bytes('Not found: f\xfcr niemanden')],
		['image/x-portable-anymap', bytes('P3\n2 2\n255\n')],
	])('%s is told by its bytes', (type, head) => {
		expect(typeOfBytes(head)).toBe(type);
	});

	it('a real picture too; and bytes that say nothing leave it open', async () => {
		expect(typeOfBytes(await picture(0x102030))).toBe('image/png');
		expect(typeOfBytes(bytes('\x90\x02\0\0\0\0\0\0{"weight":'))).toBeUndefined();
		expect(typeOfBytes(Buffer.alloc(0))).toBeUndefined();
	});

	it('is named by its bytes, then by who sent it, then by its name', () => {
		expect(typeOfFile(bytes('\xff\xd8\xff\xe0'), 'image/png', 'a.png')).toBe('image/jpeg');
		expect(typeOfFile(bytes('v 0.1 0.2 0.3\n'), 'Model/OBJ; charset=utf-8', 'a')).toBe('model/obj');
		expect(typeOfFile(bytes('v 0.1 0.2 0.3\n'), 'application/octet-stream', 'a.obj')).toBe(contentTypeOf('a.obj'));
		expect(typeOfFile(bytes('words'), null, 'a')).toBe('text/plain');
		expect(typeOfFile(bytes('\0\x01\x02'), null, 'a')).toBe('application/octet-stream');
	});

	it('only its beginning is looked at', () => {
		expect(typeOfBytes(Buffer.concat([Buffer.alloc(HEAD_BYTES, 'a'), Buffer.alloc(1)]))).toBe('text/plain');
	});
});

describe('what an input certainly cannot take', () => {
	const [pdf, json, words, wav, png, film] = [
		bytes('%PDF-1.7'),
		bytes('{"a":1}'),
		bytes('words'),
		bytes('RIFF\0\0\0\0WAVE'),
		bytes('\x89PNG\r\n\x1a\n'),
		iso('isom'),
	];
	it.each<[FileKind, Buffer[], Buffer[]]>([
		['image', [pdf, json, words, wav], [png, film]],
		['mask', [pdf, json, words, wav], [png]],
		['audio', [pdf, json, words, png], [wav, film]],
		['video', [pdf, json, words, wav], [film]],
		['any', [], [pdf, json, words, wav, png, film]],
	])('%s', (kind, unfit, fit) => {
		expect(unfit.map((head) => isUnfit(typeOfBytes(head), kind))).toEqual(unfit.map(() => true));
		expect(fit.map((head) => isUnfit(typeOfBytes(head), kind))).toEqual(fit.map(() => false));
	});

	it('what says nothing of itself is left to ComfyUI', () => {
		expect(isUnfit(typeOfBytes(bytes('\0\x01')), 'image')).toBe(false);
	});
});
