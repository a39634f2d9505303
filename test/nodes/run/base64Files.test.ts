import { type Credential, type InputItem, type NodeResult, runNode } from '../support/engine';
import { fileItem } from '../support/files';
import { credentialFor, type Way, ways } from '../support/flavours';
import { invertGraph } from '../support/graphs';
import { expectInverted, freshPicture, IMAGE, submissionsTo, uploadsTo } from '../support/inputImages';
import { runRun } from '../support/run';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const fromBase64 = (base64: unknown) => ({ input: IMAGE, from: 'base64', base64 });
const BINARY = { input: IMAGE, from: 'binary', binaryPropertyName: 'data' };

interface More {
	items?: InputItem[];
	options?: object;
	settings?: object;
	asTool?: boolean;
}

const runRows = async (
	credential: Credential,
	values: object[],
	{ options = {}, ...more }: More = {},
	graph: object = invertGraph(),
): Promise<NodeResult> =>
	await runNode(runRun(credential, graph, { ...more, parameters: { files: { values: values as never }, options: options as never } }));
const runWith = async (credential: Credential, row: object, more?: More): Promise<NodeResult> => await runRows(credential, [row], more);

const uploads = () => uploadsTo(sandbox);
const submissions = () => submissionsTo(sandbox);

describe.each(ways)('over %s', (way: Way) => {
	const credential = () => credentialFor(sandbox, way);

	it('sends a file in Base64 once for 20 items with the same content, in several spellings', async () => {
		const png = await freshPicture();
		const spellings = [png.toString('base64'), png.toString('base64url'), `data:image/png;base64,${png.toString('base64')}`];
		const items = Array.from({ length: 20 }, (_, index) => ({ json: { image: spellings[index % 3] ?? '' } }));
		const result = await runWith(credential(), fromBase64('={{ $json.image }}'), { items, options: { concurrency: 8 } });
		await expectInverted(result, png, 19);
		expect([uploads().length, submissions().length]).toEqual([1, 20]);
	});

	it('names a file in Base64 by the type of its first bytes', async () => {
		const png = await freshPicture();
		const result = await runWith(credential(), fromBase64(`data:text/plain;base64,${png.toString('base64')}`), { asTool: true });
		expect(result.error).toBeUndefined();
		expect(uploads().map(({ bodyText }) => /filename="([^"]*)"/.exec(bodyText)?.[1])).toEqual(['input.png']);
	});
});

describe('rejects before anything is sent', () => {
	const base64Of = (bytes: Buffer | string): string => Buffer.from(bytes as string).toString('base64');
	const cases: Array<[string, unknown, RegExp, RegExp]> = [
		['no text', '={{ $json.missing }}', /^Base64 of File 1 \(Picture · image\) is empty/, /expression/],
		['an object', '={{ { image: "AAAA" } }}', /^File 1 .*: Base64 is not a text/, /not the object/],
		[
			'a broken character',
			'iVBORw0KGgo%3D',
			/^File 1 \(Picture · image\): the Base64 text cannot be decoded: character 12 of 14 is "%"/,
			/No job was created/,
		],
		['a cut end', 'iVBOR', /^File 1 .*: the Base64 text is incomplete/, /end of the text is missing/],
		['an empty file', 'data:image/png;base64,', /^File 1 .*: the file in Base64 is empty/, /node that created/],
		[
			'a file that is too large',
			base64Of(Buffer.alloc(1_200_000)),
			/the file in Base64 is larger than 1 MB: its size is 2 MB/,
			/larger number/,
		],
		['a PDF as an image', base64Of('%PDF-1.7 …'), /^File 1 .*: the file is a PDF, but this input needs an image/, /a different field/],
	];
	it.each(cases)('%s', async (_, base64, message, description) => {
		const { error } = await runWith(credentialFor(sandbox), fromBase64(base64), { options: { largestFileMb: 1 } });
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(description);
		expect([uploads().length, submissions().length]).toEqual([0, 0]);
	});

	it('a broken second row, so that the first file is not sent either', async () => {
		const mask = { '5': { class_type: 'LoadImage', _meta: { title: 'Mask' }, inputs: { image: '5.png' } } };
		const second = { ...fromBase64('AAA*'), input: { mode: 'name', value: '5.image' } };
		const items = [fileItem(await freshPicture())];
		const { error } = await runRows(credentialFor(sandbox), [BINARY, second], { items }, { ...invertGraph(), ...mask });
		expect(error?.message).toMatch(/^File 2 \(5\.image\): .*character 4 of 4 is "\*"/);
		expect([uploads().length, submissions().length]).toEqual([0, 0]);
	});
});

it('names the item, the row and the character if one of 40 items has broken Base64, and the others run', async () => {
	const png = await freshPicture();
	const good = png.toString('base64');
	const items = Array.from({ length: 40 }, (_, index) => ({
		json: { image: index === 37 ? `${good.slice(0, 30)}?${good.slice(31)}` : good },
	}));
	const row = fromBase64('={{ $json.image }}');
	const stopped = await runWith(credentialFor(sandbox), row, { items, options: { concurrency: 5 } });
	expect(stopped.error?.context.itemIndex).toBe(37);
	expect(stopped.error?.message).toMatch(
		new RegExp(`^File 1 \\(Picture · image\\): .*character 31 of ${good.length} is "\\?", which Base64 does not use`),
	);
	const continued = await runWith(credentialFor(sandbox), row, { items, settings: { onError: 'continueRegularOutput' } });
	expect(continued.outputs[0]?.map(({ json }) => 'error' in json)).toEqual(items.map((_, index) => index === 37));
	expect(uploads()).toHaveLength(1);
});
