import { runNode } from '../support/engine';
import { credentialFor, type Way } from '../support/flavours';
import { manageRun } from '../support/manage';
import { sharedSandbox } from '../support/sandbox';
import { jsons } from '../support/submit';

const sandbox = sharedSandbox();

describe('Get Many of node definitions', () => {
	const read = async (parameters = {}, way: Way = 'hosted') =>
		await runNode(manageRun(credentialFor(sandbox, way), 'nodeDefinition:getAll', { parameters }));

	it('outputs all classes by default, simplified, in one request', async () => {
		const items = jsons(await read());
		expect(items.length).toBeGreaterThan(10);
		for (const item of items) {
			expect(Object.keys(item)).toEqual(['class_name', 'display_name', 'category', 'description', 'is_output', 'inputs', 'outputs']);
		}
		expect(sandbox.requests().map(({ path }) => path)).toEqual(['/api/object_info']);
	});

	it.each(['hosted', 'self_hosted', 'bare_engine'] as const)(
		'outputs chosen classes in the order asked for, with types and limits (%s)',
		async (way) => {
			const items = jsons(await read({ classes: 'SaveImage, EmptyImage' }, way));
			expect(items.map(({ class_name }) => class_name)).toEqual(['SaveImage', 'EmptyImage']);
			expect(items[0]).toMatchObject({ is_output: true, outputs: [] });
			expect(items[1]?.inputs).toContainEqual(
				expect.objectContaining({ name: 'width', type: 'INT', required: true, min: expect.any(Number), max: expect.any(Number) }),
			);
			expect(items[1]?.outputs).toMatchObject([{ type: 'IMAGE' }]);
			// An engine gets one request for each class.
			if (way !== 'hosted') expect(sandbox.requests('GET /api/object_info', 'engine')).toEqual([]);
		},
	);

	it('outputs the classes of each item, raw if requested', async () => {
		const items = [
			{ classes: 'EmptyImage', simplify: false },
			{ classes: 'SaveImage', simplify: true },
		].map((json) => ({ json }));
		const parameters = { classes: '={{ $json.classes }}', simplify: '={{ $json.simplify }}' };
		const [raw, simple] = jsons(await runNode(manageRun(credentialFor(sandbox), 'nodeDefinition:getAll', { items, parameters })));
		expect(raw).toMatchObject({ class_name: 'EmptyImage', input: { required: { width: expect.any(Array) } }, output: ['IMAGE'] });
		expect(simple).toMatchObject({ class_name: 'SaveImage', is_output: true });
	});

	it.each<[string, Way, RegExp]>([
		['Load Image', 'hosted', /LoadImage/],
		['SvaeImage', 'hosted', /SaveImage/],
		['zzqqxxyyvv', 'hosted', /To list all classes, leave Classes empty/],
	])('names what is near an unknown class, or how to see all (%s, %s)', async (name, way, near) => {
		const { error } = await read({ classes: `EmptyImage, ${name}` }, way);
		expect(error?.message).toBe(`The server does not have the node class "${name}"`);
		expect(error?.description).toMatch(near);
		expect(error?.description).toMatch(/under Classes|Leave Classes/);
	});
});

it('Get Many of node definitions simplifies both shapes of choices, optional inputs and incomplete definitions', async () => {
	const K = {
		input: {
			required: { sampler: [['euler', 'ddim'], { default: 'euler' }], model: ['MODEL'] },
			optional: { mode: ['COMBO', { options: ['a', 'b'], tooltip: 'which' }] },
			hidden: { prompt: 'PROMPT' },
		},
		output: ['LATENT', ['a', 'b']],
		output_name: ['latent'],
	};
	const odd = { empty: {}, words: { input: null, output: 'x' }, values: { input: { required: { a: 'text', b: null } } } };
	sandbox.inject({ on: 'GET /api/object_info', answer: { status: 200, json: { K, ...odd } } });
	const [simple, ...others] = jsons(await runNode(manageRun(credentialFor(sandbox), 'nodeDefinition:getAll')));
	expect(simple).toMatchObject({ class_name: 'K', display_name: 'K', category: '', description: '', is_output: false });
	expect(simple?.inputs).toEqual([
		{ name: 'sampler', type: 'COMBO', required: true, default: 'euler', options: ['euler', 'ddim'] },
		{ name: 'model', type: 'MODEL', required: true },
		{ name: 'mode', type: 'COMBO', required: false, options: ['a', 'b'] },
	]);
	expect(simple?.outputs).toEqual([
		{ name: 'latent', type: 'LATENT' },
		{ name: 'COMBO', type: 'COMBO' },
	]);
	expect(others.map(({ class_name }) => class_name)).toEqual(Object.keys(odd));
});
