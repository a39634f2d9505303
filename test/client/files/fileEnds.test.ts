import { isCutShort } from '../../../client';

const png = Buffer.concat([
	Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
	Buffer.alloc(100, 1),
	Buffer.from('IEND\xae\x42\x60\x82', 'latin1'),
]);
const jpeg = Buffer.concat([Buffer.from('\xff\xd8\xff\xe0', 'latin1'), Buffer.alloc(100, 1), Buffer.from('\xff\xd9', 'latin1')]);

const uint32 = (value: number, isBigEndian = false): Buffer => {
	const bytes = Buffer.alloc(4);
	if (isBigEndian) bytes.writeUInt32BE(value);
	else bytes.writeUInt32LE(value);
	return bytes;
};
const riff = (kind: string, size = 104): Buffer =>
	Buffer.concat([Buffer.from('RIFF'), uint32(size), Buffer.from(kind), Buffer.alloc(100, 1)]);
const box = (type: string, content: number, size = content + 8): Buffer =>
	Buffer.concat([uint32(size, true), Buffer.from(type), Buffer.alloc(content, 1)]);
const mp4 = Buffer.concat([box('ftyp', 12), box('mdat', 200), box('moov', 80)]);
const glb = Buffer.concat([Buffer.from('glTF'), uint32(2), uint32(60), Buffer.alloc(48, 1)]);

const isCut = (file: Buffer): boolean => isCutShort(file.subarray(0, 4096), file.subarray(-4096), file.length);

test.each<[name: string, file: Buffer]>([
	['PNG', png],
	['JPEG', jpeg],
	['WebP', riff('WEBP')],
	['WAV', riff('WAVE')],
	['MP4', mp4],
	['GLB', glb],
])('a whole %s file is not cut short, with and without bytes after it, and one without its last bytes is', (_, file) => {
	expect(isCut(file)).toBe(false);
	expect(isCut(Buffer.concat([file, Buffer.alloc(50)]))).toBe(false);
	expect(isCut(file.subarray(0, -8))).toBe(true);
	expect(isCut(file.subarray(0, 40))).toBe(true);
});

test.each<[name: string, file: Buffer]>([
	['a WAV file of unknown size', riff('WAVE', 0xffffffff)],
	['a WAV file that says it is empty', riff('WAVE', 0)],
	['a video whose last box reaches to its end', Buffer.concat([box('ftyp', 12), box('mdat', 200, 0)])],
	['a text', Buffer.from('hello')],
	['no bytes', Buffer.alloc(0)],
])('%s is not cut short', (_, file) => {
	expect(isCut(file)).toBe(false);
});
