import { multipartForm } from '../../../client/transport/multipart';
import { chunksOf, collect } from '../support/bytes';

const file = (overrides = {}) => ({
	field: 'file',
	name: 'inputs/cat.png',
	contentType: 'image/png',
	chunks: chunksOf('ab', 'cd'),
	...overrides,
});

test('a form keeps the order of its fields, and sends the file last', async () => {
	const form = multipartForm(
		[
			['content_type', 'image/png'],
			['tags', 'a'],
			['tags', 'b'],
		],
		file(),
	);
	const text = (await collect(form.body)).toString();
	expect([...text.matchAll(/name="(\w+)"/g)].map(([, name]) => name)).toEqual(['content_type', 'tags', 'tags', 'file']);
});

test('a form is read back by a standard parser', async () => {
	const { headers, body } = multipartForm([['file_path', 'bilder/Größe "1".png']], file({ chunks: chunksOf('one\r\n--two') }));
	const parsed = await new Response(await collect(body), { headers: { 'content-type': headers['content-type'] } }).formData();
	expect(parsed.get('file_path')).toBe('bilder/Größe "1".png');
	const read = parsed.get('file') as File;
	expect([read.name, read.type, await read.text()]).toEqual(['cat.png', 'image/png', 'one\r\n--two']);
});

test('a form has an exact Content-Length when the size is known, and none otherwise', async () => {
	const sized = multipartForm([['file_path', 'ü']], file({ sizeBytes: 4 }));
	expect(sized.headers['content-length']).toBe(String((await collect(sized.body)).length));
	expect(multipartForm([], file()).headers['content-length']).toBeUndefined();
});

test('names and types cannot break out of their header lines', async () => {
	const evil = { name: '..\\..\\x"\r\nX-Evil: 1\r\n.png', contentType: 'image/png\r\nX-Evil: 2' };
	const text = (await collect(multipartForm([], file(evil)).body)).toString();
	expect(text).not.toMatch(/^X-Evil/m);
	expect(text).toContain('filename="x%22%0D%0AX-Evil: 1%0D%0A.png"');
});

test('the chunks of a file pass through uncopied, each on demand', async () => {
	const chunk = Buffer.from('abcd');
	let asked = 0;
	const chunks = (async function* () {
		for (; asked < 3; asked++) yield chunk;
	})();
	const reader = multipartForm([], file({ chunks })).body[Symbol.asyncIterator]();
	await reader.next();
	expect(asked).toBe(0);
	expect((await reader.next()).value).toBe(chunk);
	expect(asked).toBe(0);
	await reader.next();
	expect(asked).toBe(1);
});
