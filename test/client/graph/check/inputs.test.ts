/** The checks of single inputs, with definitions written out by hand. */
import { checkWorkflow, type Definitions, parseExact, type WorkflowCheck } from '../../../../client';

const node = (class_type: string, inputs: object) => ({ class_type, inputs });
const nothing: WorkflowCheck = { missingClasses: [], missingModels: [], missingFiles: [], otherFaults: [], notes: [] };

/** Checks a workflow whose only node is an output with this one required input. */
const checkInput = (type: unknown, settings: object, inputs: object): WorkflowCheck => {
	const definitions = { Out: { input: { required: { value: [type, settings] } }, output_node: true } } as unknown as Definitions;
	return checkWorkflow({ 1: node('Out', inputs), 2: node('Out', { value: 5 }) }, { definitions, listsFiles: true });
};
const faultsOf = (type: unknown, settings: object, value: unknown): unknown[] =>
	checkInput(type, settings, { value }).otherFaults.filter((fault) => 'nodeId' in fault && fault.nodeId === '1');

it.each([
	['a boolean, which is a number in Python', true],
	['a text with blanks around the number', ' 5 '],
	['the lower limit', 1],
	['the upper limit', 10],
	['a link to another node', ['2', 0]],
	['a text with the exact number', parseExact('5.0')],
])('a number input accepts %s', (_, value) => expect(faultsOf('INT', { min: 1, max: 10 }, value)).toEqual([]));

it.each([
	['INT', 11],
	['INT', 0],
	['INT', false],
	['FLOAT', 10.001],
])('an input of the type %s rejects %j, which is out of range', (type, value) => {
	expect(faultsOf(type, { min: 1, max: 10 }, value)).toMatchObject([{ fault: 'out_of_range', value, min: '1', max: '10' }]);
});

it('an input without an upper limit reports only its lower one', () => {
	const [fault] = faultsOf('INT', { min: 1 }, 0);
	expect(fault).toMatchObject({ fault: 'out_of_range', min: '1' });
	expect(fault).not.toHaveProperty('max');
});

it('a limit with more digits than a double holds is applied', () => {
	const settings = { max: parseExact('18446744073709551615') };
	expect(faultsOf('INT', settings, parseExact('18446744073709551615'))).toEqual([]);
	expect(faultsOf('INT', settings, 1e30)).toMatchObject([{ fault: 'out_of_range', max: '18446744073709551615' }]);
});

it('of several chosen values, those that are not offered are reported', () => {
	expect(faultsOf(['red', 'blue'], {}, ['red', 'green', 'blue'])).toMatchObject([{ fault: 'not_offered', value: 'green' }]);
});

it('an empty choice is reported even if the server offers nothing', () => {
	expect(faultsOf([], {}, '')).toMatchObject([{ fault: 'not_offered', value: '', near: [] }]);
});

it('choices with very long names are not compared', () => {
	expect(faultsOf(['a'.repeat(100)], {}, 'a'.repeat(99))).toMatchObject([{ near: ['a'.repeat(100)] }]);
	expect(faultsOf(['a'.repeat(101)], {}, 'a'.repeat(99))).toMatchObject([{ near: [] }]);
});

it('only the first 20 values that are not offered are compared with the choices', () => {
	const faults = faultsOf(
		['blue'],
		{},
		Array.from({ length: 21 }, () => 'blu'),
	) as Array<{ near: string[] }>;
	expect(faults.map(({ near }) => near.length)).toEqual([...Array.from({ length: 20 }, () => 1), 0]);
});

it('a required input of a special type may be missing', () => {
	expect(checkInput('COMFY_AUTOGROW_V3', {}, {}).otherFaults).toEqual([]);
	expect(checkInput('IMAGE', {}, {}).otherFaults).toMatchObject([{ fault: 'missing_input', nodeId: '1', input: 'value' }]);
});

it('the inputs of a node are checked when only a node of a missing class needs it', () => {
	const definitions = { Number: { input: { required: { value: ['INT', { max: 10 }] } } } } as unknown as Definitions;
	const workflow = { 1: node('Number', { value: 11 }), 2: node('Gone', { from: ['1', 0] }) };
	expect(checkWorkflow(workflow, { definitions, listsFiles: true })).toMatchObject({
		...nothing,
		missingClasses: [{ className: 'Gone' }],
		otherFaults: [{ fault: 'out_of_range', nodeId: '1' }],
	});
});

describe('missing files', () => {
	const load = { input: { required: { ckpt_name: [['other.safetensors'], {}] } }, output_node: true };
	const definitions = { CheckpointLoaderSimple: load, Own: { input: { required: { weights: [['x'], {}] } }, output_node: true } };
	const check = (workflow: object, editor?: unknown): WorkflowCheck =>
		checkWorkflow(workflow, { definitions: definitions as unknown as Definitions, listsFiles: true }, editor);

	it('a model that two nodes name is reported once, with both nodes', () => {
		const missing = node('CheckpointLoaderSimple', { ckpt_name: 'fox.safetensors' });
		const { missingModels } = check({ 1: missing, 2: missing });
		expect(missingModels).toMatchObject([{ name: 'fox.safetensors', nodes: [{ nodeId: '1' }, { nodeId: '2' }] }]);
	});

	it('a model is known by the input that names it, even without an extension', () => {
		expect(check({ 1: node('CheckpointLoaderSimple', { ckpt_name: 'fox' }) })).toMatchObject({
			missingModels: [{ name: 'fox', folder: 'models/checkpoints' }],
			otherFaults: [],
		});
	});

	it('a model is known by the list of the workflow, without its folder, and the first entry counts', () => {
		const models = [
			{ name: 'fox', url: '', directory: 'own' },
			{ name: 'fox', url: 'https://example.test/second' },
		];
		const [missing] = check({ 1: node('Own', { weights: 'animals/fox' }) }, { nodes: [], links: [], models }).missingModels;
		expect(missing).toMatchObject({ name: 'animals/fox', folder: 'models/own' });
		expect(missing).not.toHaveProperty('url');
	});

	const loadImage = (image: string, choices: string[], listsFiles: boolean): WorkflowCheck => {
		const input = { required: { image: [choices, { image_upload: true }] } };
		const definitions = { LoadImage: { input, output_node: true } } as unknown as Definitions;
		return checkWorkflow({ 1: node('LoadImage', { image }) }, { definitions, listsFiles });
	};

	it.each(['animals/fox.png', 'animals\\fox.png', 'fox.png [output]', 'fox.png [temp]'])(
		'an image in a folder that the server does not list is only noted (%s)',
		(image) => {
			expect(loadImage(image, ['other.png'], true)).toMatchObject({ missingFiles: [], notes: [{ note: 'file_unseen', name: image }] });
		},
	);

	it.each([
		['other.png', false],
		['other.png', true],
		[undefined, true],
	])('an image that is not among the listed files is missing (listed: %s, all files listed: %s)', (listed, listsFiles) => {
		const found = loadImage('fox.png', listed === undefined ? [] : [listed], listsFiles);
		expect(found).toMatchObject({ missingFiles: [{ name: 'fox.png', folder: 'input' }], notes: [] });
	});

	it('an image is only noted if the server lists no files', () => {
		expect(loadImage('fox.png', [], false)).toMatchObject({ missingFiles: [], notes: [{ note: 'file_unseen', name: 'fox.png' }] });
	});
});
