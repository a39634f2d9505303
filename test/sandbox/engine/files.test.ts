/** Uploads to the engine, what a graph makes of them, and `GET /view`. */
import sharp from 'sharp';
import { useFreshEngine } from './support/engine';

const fresh = useFreshEngine();

const square = async (edge: number, background: sharp.Color, channels: 3 | 4 = 3): Promise<Buffer> =>
	await sharp({ create: { width: edge, height: edge, channels, background } })
		.png()
		.toBuffer();

const viewed = async (query: Record<string, string>, headers: Record<string, string> = {}) =>
	await fresh.engine.fetch(`/api/view?${new URLSearchParams(query).toString()}`, { headers });

/** The output of a graph that loads a file by this name. */
async function loaded(image: string): Promise<sharp.Metadata> {
	const id = await fresh.engine.started({
		load: { class_type: 'LoadImage', inputs: { image } },
		save: { class_type: 'SaveImage', inputs: { images: ['load', 0], filename_prefix: 'loaded' } },
	});
	const [file] = (await fresh.engine.ended(id)).outputs.save?.images ?? [];
	return await sharp(Buffer.from(await (await viewed({ ...file })).arrayBuffer())).metadata();
}

test.each(['', '/api'])('any file can be uploaded to %s/upload/image, in any folder', async (prefix) => {
	const bytes = Buffer.from('no picture at all');
	const { status, json } = await fresh.engine.upload(
		bytes,
		'sound of cats.wav',
		{ subfolder: 'a/b', type: 'temp' },
		`${prefix}/upload/image`,
	);
	expect([status, json]).toEqual([200, { name: 'sound of cats.wav', subfolder: 'a/b', type: 'temp' }]);
	const view = await viewed({ filename: 'sound of cats.wav', subfolder: 'a/b', type: 'temp' });
	expect([view.status, view.headers.get('content-disposition'), await view.text()]).toEqual([
		200,
		'filename="sound of cats.wav"',
		'no picture at all',
	]);
	expect((await viewed({ filename: 'sound of cats.wav', subfolder: 'a', type: 'temp' })).status).toBe(404);
});

test('other bytes under a name that is taken get a suffix, the same bytes the same name, and overwrite replaces', async () => {
	const name = async (text: string, fields = {}) =>
		(await fresh.engine.upload(Buffer.from(text), 'a.b.txt', { subfolder: 'x', ...fields })).json.name;
	expect([await name('one'), await name('one'), await name('two'), await name('three'), await name('two')]).toEqual([
		'a.b.txt',
		'a.b.txt',
		'a.b (1).txt',
		'a.b (2).txt',
		'a.b (1).txt',
	]);
	for (const overwrite of ['true', '1']) {
		expect(await name(`new ${overwrite}`, { overwrite })).toBe('a.b.txt');
		expect(await (await viewed({ filename: 'a.b.txt', subfolder: 'x', type: 'input' })).text()).toBe(`new ${overwrite}`);
	}
	expect(await name('four', { overwrite: 'false' })).toBe('a.b (3).txt');
});

test('an upload without a file, outside the folder, or too large is refused', async () => {
	const form = new FormData();
	form.append('type', 'input');
	const none = await fresh.engine.fetch('/upload/image', { method: 'POST', body: form });
	expect([none.status, await none.text()]).toEqual([400, '']);
	for (const subfolder of ['../..', '/etc']) expect((await fresh.engine.upload(Buffer.from('x'), 'x.png', { subfolder })).status).toBe(400);
	fresh.sandbox.configure({ engineUploadLimitBytes: 1000 });
	expect((await fresh.engine.upload(Buffer.alloc(1000), 'x.bin')).status).toBe(200);
	const large = await fresh.engine.upload(Buffer.alloc(1001), 'y.bin');
	expect([large.status, large.text]).toEqual([413, '413: Request Entity Too Large']);
	expect((await viewed({ filename: 'y.bin', type: 'input' })).status).toBe(404);
	expect((await fresh.engine.upload(Buffer.from('x'), 'x.png', { type: 'elsewhere' })).status).toBe(500);
});

test('an uploaded file is loaded by its name, with its subfolder, and from the temporary folder', async () => {
	await fresh.engine.upload(await square(3, 'red'), 'cat.png');
	await fresh.engine.upload(await square(4, 'red'), 'cat.png', { subfolder: 'pets/big' });
	await fresh.engine.upload(await square(5, 'red'), 'cat.png', { type: 'temp' });
	const widths = [];
	for (const name of ['cat.png', 'pets/big/cat.png', 'cat.png [temp]', 'cat.png [input]']) widths.push((await loaded(name)).width);
	expect(widths).toEqual([3, 4, 5, 3]);
	expect((await loaded('loaded_00001_.png [output]')).width).toBe(3);
	const { LoadImage } = await fresh.engine.get<{ LoadImage: { input: { required: { image: [string[]] } } } }>('/object_info/LoadImage');
	expect(LoadImage.input.required.image[0]).toEqual(['cat.png']);
});

test('a mask is the original with the alpha of what is uploaded', async () => {
	await fresh.engine.upload(await square(4, 'red'), 'cat.png');
	const mask = await square(4, { r: 0, g: 0, b: 255, alpha: 0.2 }, 4);
	const original = { filename: 'cat.png', subfolder: '', type: 'input' };
	const { status, json } = await fresh.engine.upload(mask, 'masked.png', { original_ref: JSON.stringify(original) }, '/upload/mask');
	expect([status, json]).toEqual([200, { name: 'masked.png', subfolder: '', type: 'input' }]);
	const stored = Buffer.from(await (await viewed({ filename: 'masked.png', type: 'input' })).arrayBuffer());
	expect([...(await sharp(stored).raw().toBuffer()).subarray(0, 4)]).toEqual([255, 0, 0, 51]);
});

test('a mask of an original that is not there is answered as if all were well, but nothing is saved', async () => {
	const mask = await square(4, 'blue', 4);
	const answer = await fresh.engine.upload(mask, 'masked.png', { original_ref: '{"filename":"cat.png","type":"input"}' }, '/upload/mask');
	expect([answer.status, answer.json.name]).toEqual([200, 'masked.png']);
	expect((await viewed({ filename: 'masked.png', type: 'input' })).status).toBe(404);
	await fresh.engine.upload(await square(5, 'red'), 'cat.png');
	for (const fields of [{ original_ref: '{"filename":"cat.png","type":"input"}' }, { original_ref: 'no json' }, {}]) {
		expect((await fresh.engine.upload(mask, 'masked.png', fields as Record<string, string>, '/upload/mask')).status).toBe(500);
	}
});

test('a saved file has the folder of its prefix', async () => {
	const id = await fresh.engine.started({
		note: { class_type: 'SaveText', inputs: { text: 'one', filename_prefix: 'notes/new/note' } },
		other: { class_type: 'SaveText', inputs: { text: 'other', filename_prefix: 'note' } },
	});
	const { outputs } = await fresh.engine.ended(id);
	expect(outputs.note).toEqual({ text: [{ filename: 'note_00001_.txt', subfolder: 'notes/new', type: 'output' }] });
	expect(await (await viewed({ filename: 'note_00001_.txt', subfolder: 'notes/new', type: 'output' })).text()).toBe('one');
	expect(await (await viewed({ filename: 'note_00001_.txt' })).text()).toBe('other');
});

test.each([
	[{ filename: 'a.txt', type: 'input' }, 200],
	[{ filename: 'a.txt [input]', type: 'output' }, 200],
	[{ filename: 'elsewhere/a.txt', type: 'input' }, 200],
	[{ filename: 'a.txt', subfolder: 'x/..', type: 'input' }, 200],
	[{ filename: 'a.txt' }, 404],
	[{ filename: 'a.txt', type: 'temp' }, 404],
	[{ type: 'input' }, 404],
	[{ filename: '', type: 'input' }, 400],
	[{ filename: '/a.txt', type: 'input' }, 400],
	[{ filename: '../a.txt', type: 'input' }, 400],
	[{ filename: 'a.txt', type: 'models' }, 400],
	[{ filename: 'a.txt', subfolder: '..', type: 'input' }, 403],
	[{ filename: 'a.txt', subfolder: '/etc', type: 'input' }, 403],
])('view %j is answered %i', async (query, status) => {
	await fresh.engine.upload(Buffer.from('0123456789'), 'a.txt');
	const answer = await viewed(query as Record<string, string>);
	expect([answer.status, await answer.text()]).toEqual([status, status === 200 ? '0123456789' : '']);
});

test('view gives a part of the bytes', async () => {
	await fresh.engine.upload(Buffer.from('0123456789'), 'a.txt');
	const part = await viewed({ filename: 'a.txt', type: 'input' }, { range: 'bytes=2-4' });
	expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234']);
	expect((await viewed({ filename: 'a.txt', type: 'input' }, { range: 'bytes=10-' })).status).toBe(416);
});
