import { simplified } from '../../../nodes/ComfyManageJobs/nodeDefinition/simplified';
import { nearMatches } from '../../../client';
import { runNode } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { manageRun } from '../support/manage';
import { jsons } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const read = async (parameters = {}) => await runNode(manageRun(credentialFor(sandbox), 'nodeDefinition:getAll', { parameters }));

it('all classes by default, simplified, in one request', async () => {
	const items = jsons(await read());
	expect(items.length).toBeGreaterThan(10);
	for (const item of items) {
		expect(Object.keys(item)).toEqual(['class_name', 'display_name', 'category', 'description', 'is_output', 'inputs', 'outputs']);
	}
	expect(sandbox.requests().map(({ path }) => path)).toEqual(['/api/object_info']);
});

it('chosen classes in the order asked for, with types and limits', async () => {
	const items = jsons(await read({ classes: 'SaveImage, EmptyImage' }));
	expect(items.map(({ class_name }) => class_name)).toEqual(['SaveImage', 'EmptyImage']);
	expect(items[0]).toMatchObject({ is_output: true, outputs: [] });
	expect(items[1]?.inputs).toContainEqual(
		expect.objectContaining({ name: 'width', type: 'INT', required: true, min: expect.any(Number), max: expect.any(Number) }),
	);
	expect(items[1]?.outputs).toMatchObject([{ type: 'IMAGE' }]);
});

it('raw where asked for', async () => {
	const [item] = jsons(await read({ classes: 'EmptyImage', simplify: false }));
	expect(item).toMatchObject({ class_name: 'EmptyImage', input: { required: { width: expect.any(Array) } }, output: ['IMAGE'] });
});

it.each([
	['emptyimage', /EmptyImage/],
	['Load Image', /LoadImage/],
	['SvaeImage', /SaveImage/],
])('an unknown class (%s) names what is near', async (name, near) => {
	const { error } = await read({ classes: `SaveImage, ${name}` });
	expect(error?.message).toBe(`The service has no node class "${name}"`);
	expect(error?.description).toMatch(near);
	expect(error?.description).toMatch(/under Classes/);
});

it('an unknown class that is near nothing says how to see all', async () => {
	expect((await read({ classes: 'zzqqxxyyvv' })).error?.description).toMatch(/Leave Classes empty/);
});

it('with Self-Hosted asks the engine', async () => {
	const { error } = await runNode(manageRun(credentialFor(sandbox, 'self_hosted_token'), 'nodeDefinition:getAll'));
	expect(error).toBeUndefined();
	expect(new Set(sandbox.requests().map(({ surface }) => surface))).toEqual(new Set(['engine']));
});

describe('simplified', () => {
	it('reads choices in both shapes, optional inputs, and whatever is missing', () => {
		const definition = {
			input: {
				required: { sampler: [['euler', 'ddim'], { default: 'euler' }], model: ['MODEL'] },
				optional: { mode: ['COMBO', { options: ['a', 'b'], tooltip: 'which' }] },
				hidden: { prompt: 'PROMPT' },
			},
			output: ['LATENT', ['a', 'b']],
			output_name: ['latent'],
			output_node: false,
		};
		expect(simplified('K', definition)).toEqual({
			class_name: 'K',
			display_name: 'K',
			category: '',
			description: '',
			is_output: false,
			inputs: [
				{ name: 'sampler', type: 'COMBO', required: true, default: 'euler', options: ['euler', 'ddim'] },
				{ name: 'model', type: 'MODEL', required: true },
				{ name: 'mode', type: 'COMBO', required: false, options: ['a', 'b'] },
			],
			outputs: [
				{ name: 'latent', type: 'LATENT' },
				{ name: 'COMBO', type: 'COMBO' },
			],
		});
	});

	it.each([{}, { input: null, output: 'x' }, { input: { required: { a: 'text', b: null } } }])(
		'bears what is no definition (%j)',
		(definition) => {
			expect(simplified('K', definition)).toMatchObject({ class_name: 'K' });
		},
	);
});

it('near matches are few, and the best comes first', () => {
	const known = ['KSampler', 'KSamplerAdvanced', 'SaveImage', 'LoadImage', 'ImageScale', 'ImageInvert', 'ImageBlend', 'ImageBatch'];
	expect(nearMatches('ksamplr', known)[0]).toBe('KSampler');
	expect(nearMatches('Image', known).length).toBeLessThanOrEqual(5);
	expect(nearMatches('zzz', known)).toEqual([]);
});
