/** Checks of files in the editor format, with definitions written out by hand. */
import { checkWorkflow, type Definitions, type WorkflowCheck } from '../../../../client';

const definitions = {
	Out: { input: { required: { image: ['IMAGE'] } }, input_order: { required: ['image'] }, output: [], output_name: [], output_node: true },
	Source: { input: {}, output: ['IMAGE'], output_name: ['IMAGE'] },
} as unknown as Definitions;

const check = (nodes: object[], links: unknown[]): WorkflowCheck => checkWorkflow({ nodes, links }, { definitions, listsFiles: true });

const out = { id: 1, type: 'Out', inputs: [{ name: 'image', type: 'IMAGE', link: 1 }] };
const source = (type: string) => ({ id: 2, type, outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }] });
const LINK = [1, 2, 0, 1, 0, 'IMAGE'];
const gone = { className: 'Gone', isGuess: true, nodes: [{ nodeId: '2', title: 'Gone', className: 'Gone' }] };

it('a file that the server can run has neither faults nor notes', () => {
	expect(check([out, source('Source')], [LINK])).toEqual({
		missingClasses: [],
		missingModels: [],
		missingFiles: [],
		otherFaults: [],
		notes: [],
	});
});

it('a file with a node of a missing class is checked as if the server had the class', () => {
	expect(check([out, source('Gone')], [LINK])).toMatchObject({ missingClasses: [gone], otherFaults: [] });
});

it('a fault beside a missing class is reported as well', () => {
	expect(check([out, source('Gone')], [])).toMatchObject({
		missingClasses: [gone],
		otherFaults: [{ fault: 'refused', refusals: [{ refusal: 'broken_link', nodeId: '1', input: 'image' }] }],
	});
});

it('a fault that shows only when the missing class is replaced is reported', () => {
	const inputs = [{ name: 'image', type: 'IMAGE', link: 1 }];
	expect(check([{ ...source('Gone'), inputs }], [[1, 2, 0, 2, 0, 'IMAGE']])).toMatchObject({
		missingClasses: [gone],
		otherFaults: [{ fault: 'refused', refusals: [{ refusal: 'circular_links', nodeIds: ['2'] }] }],
	});
});

it.each([
	[200, 'ComfyUI-WanVideoWrapper'],
	[201, undefined],
])('the pack of a class with %s characters is guessed as %s', (length, pack) => {
	const [missing] = check([source('WanVideo'.padEnd(length, 'x'))], []).missingClasses;
	expect(missing?.pack).toBe(pack);
});
