import { contentTypeOf, extensionOf, type FileKind, HEAD_BYTES, isWrongKind, chooseContentType, UNKNOWN_TYPE } from '../../../client';
import { detectContentType } from '../../../client/files/contentTypes';
import { picture } from '../support/pictures';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const iso = (brand: string): Buffer => bytes(`\0\0\0\x20ftyp${brand}\0\0\0\0`);

it.each<[type: string, extensions: string[], otherNames: string[]]>([
	['image/png', ['png'], ['image/x-png']],
	['image/jpeg', ['jpg', 'jpeg'], ['image/jpg']],
	['video/mp4', ['mp4', 'm4v'], ['video/x-m4v']],
	['audio/wav', ['wav'], ['audio/x-wav', 'audio/wave', 'audio/vnd.wave']],
	['text/plain', ['txt', 'srt'], []],
])('%s has its extensions, the usual one first, and its other names', (type, extensions, otherNames) => {
	expect(extensions.map((extension) => contentTypeOf(`a.b.${extension.toUpperCase()}`))).toEqual(extensions.map(() => type));
	const names = [type, `${type.toUpperCase()}; charset=utf-8`, ...otherNames];
	expect(names.map(extensionOf)).toEqual(names.map(() => extensions[0]));
});

it.each(['a', 'a.', 'png', 'a.png/b', 'a.constructor', 'a.latent'])('the name %s has no known type', (name) => {
	expect(contentTypeOf(name)).toBe(UNKNOWN_TYPE);
	expect(extensionOf(name)).toBeUndefined();
});

describe('the type of a file', () => {
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
		['image/tiff', bytes('II*\0\x08')],
		['image/tiff', bytes('MM\0*\0')],
		['image/x-exr', bytes('v/1\x01\x02')],
		['audio/ogg', bytes('OggS\0\x02')],
		['model/gltf-binary', bytes('glTF\x02\0')],
		['audio/flac', bytes('fLaC\0\0')],
		['audio/mpeg', bytes('ID3\x04\0')],
		['application/pdf', bytes('%PDF-1.7\n')],
		['application/zip', bytes('PK\x03\x04\x14\0')],
		['image/svg+xml', bytes('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>')],
		['image/svg+xml', bytes('<?xml version="1.0"?>\n<!-- Generator: a program -->\n<svg xmlns="http://www.w3.org/2000/svg"/>')],
		['application/xml', bytes('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>')],
		['application/json', bytes('\n {"error": "not found"}')],
		['text/html', bytes('\xef\xbb\xbf\n<!-- page --> <!DOCTYPE html><html>')],
		['text/html', bytes('<HTML><body>Bitte einloggen: f\xfcr alle')],
		['text/plain', bytes('Not found: f\xfcr niemanden')],
		['image/x-portable-anymap', bytes('P3\n2 2\n255\n')],
	])('%s is recognized by its bytes', (type, head) => {
		expect(detectContentType(head)).toBe(type);
	});

	it('recognizes a real picture, and gives no type to bytes of an unknown format', async () => {
		expect(detectContentType(await picture(0x102030))).toBe('image/png');
		expect(detectContentType(bytes('\x90\x02\0\0\0\0\0\0{"weight":'))).toBeUndefined();
		expect(detectContentType(Buffer.alloc(0))).toBeUndefined();
	});

	it('takes the type from the bytes, then from the declared type, then from the name', () => {
		expect(chooseContentType(bytes('\xff\xd8\xff\xe0'), 'image/png', 'a.png')).toBe('image/jpeg');
		expect(chooseContentType(bytes('v 0.1 0.2 0.3\n'), 'Model/OBJ; charset=utf-8', 'a')).toBe('model/obj');
		expect(chooseContentType(bytes('v 0.1 0.2 0.3\n'), 'application/octet-stream', 'a.obj')).toBe(contentTypeOf('a.obj'));
		expect(chooseContentType(bytes('words'), null, 'a')).toBe('text/plain');
		expect(chooseContentType(bytes('\0\x01\x02'), null, 'a')).toBe('application/octet-stream');
	});

	it('reads only the beginning of a file', () => {
		expect(detectContentType(Buffer.concat([Buffer.alloc(HEAD_BYTES, 'a'), Buffer.alloc(1)]))).toBe('text/plain');
	});
});

describe('an input', () => {
	const [pdf, json, words, wav, png, film] = [
		bytes('%PDF-1.7'),
		bytes('{"a":1}'),
		bytes('words'),
		bytes('RIFF\0\0\0\0WAVE'),
		bytes('\x89PNG\r\n\x1a\n'),
		iso('isom'),
	];
	it.each<[FileKind, Buffer[], Buffer[]]>([
		['image', [pdf, json, words, wav, film], [png]],
		['mask', [pdf, json, words, wav], [png]],
		['audio', [pdf, json, words, png], [wav, film]],
		['video', [pdf, json, words, wav], [film]],
		['any', [], [pdf, json, words, wav, png, film]],
	])('of the kind %s refuses types that it cannot use, and accepts the others', (kind, unfit, fit) => {
		expect(unfit.map((head) => isWrongKind(detectContentType(head), kind))).toEqual(unfit.map(() => true));
		expect(fit.map((head) => isWrongKind(detectContentType(head), kind))).toEqual(fit.map(() => false));
	});

	it('accepts a file of an unknown format', () => {
		expect(isWrongKind(detectContentType(bytes('\0\x01')), 'image')).toBe(false);
	});
});
