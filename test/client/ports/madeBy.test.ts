import { toLabels, readMadeBy } from '../../../client/ports/madeBy';
import type { MadeBy } from '../../../client/ports/job';
import { nearMatches } from '../../../client';
import { cpuMs } from '../../support/cpuTime';

const whole: MadeBy = { workflow_id: 'sX5pQ', workflow_name: 'Shop pictures', execution_id: '4711', node: 'Run Workflow', item: 3 };

test('what was said is read again, as labels or as their JSON text', () => {
	expect(readMadeBy(toLabels(whole))).toEqual({ made_by: whole });
	expect(readMadeBy(JSON.stringify(toLabels(whole)))).toEqual({ made_by: whole });
	expect(toLabels(undefined)).toEqual({});
});

test('what is not said is null', () => {
	expect(toLabels({ ...whole, workflow_name: null, execution_id: '' })).toEqual({
		n8n_workflow_id: 'sX5pQ',
		n8n_node: 'Run Workflow',
		n8n_item: '3',
	});
	expect(readMadeBy({ n8n_node: 'Submit', n8n_item: 'many', other: 1 })).toEqual({
		made_by: { workflow_id: null, workflow_name: null, execution_id: null, node: 'Submit', item: null },
	});
});

test.each([[undefined], [null], ['nightly'], ['{"batch":"seven"}'], ['5'], [{}], [{ batch: 'seven' }], [['n8n_node']], [{ n8n_node: 5 }]])(
	'labels of others tell nothing: %j',
	(labels) => {
		expect(readMadeBy(labels)).toEqual({});
	},
);

describe('names may hold anything', () => {
	const KEY = /^[A-Za-z0-9_.-]{1,40}$/;
	const odd = ['a\nb\u0000c', 'x\u202etxt\u2066', '"\\'.repeat(200), 'ж'.repeat(300), '👩‍👩‍👧‍👦'.repeat(60), '\ud83d', 'é'.repeat(128)];

	test.each(odd)('a label of %j is one that deployments take, and the proxy takes all', (name) => {
		const labels = toLabels({ workflow_id: name, workflow_name: name, execution_id: name, node: name, item: 123456 });
		for (const [key, text] of Object.entries(labels)) {
			expect(key).toMatch(KEY);
			expect(text).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
			expect(Buffer.byteLength(text)).toBeLessThanOrEqual(150);
		}
		expect(Buffer.byteLength(JSON.stringify(labels))).toBeLessThanOrEqual(1024);
		expect(Object.keys(labels).length).toBeLessThanOrEqual(16);
	});

	test('a long one is cut between two characters', () => {
		expect(toLabels({ ...whole, node: 'ж'.repeat(300) }).n8n_node).toBe('ж'.repeat(75));
		expect(toLabels({ ...whole, node: `a${'ж'.repeat(300)}` }).n8n_node).toBe(`a${'ж'.repeat(74)}`);
	});
});

describe('names that look alike', () => {
	const models = Array.from({ length: 300 }, (_, number) => `model_number_${number}_fp16.safetensors`);

	it('the names most like the wanted one come first', () => {
		expect(nearMatches('ksampler', ['LoadImage', 'KSamplerAdvanced', 'KSampler'])).toEqual(['KSampler', 'KSamplerAdvanced']);
		expect(nearMatches('modl_number_7_fp16.safetensors', models)[0]).toBe('model_number_7_fp16.safetensors');
		expect(nearMatches('something else altogether', ['LoadImage'])).toEqual([]);
	});

	it('a long text in the place of a name, as a misplaced expression gives, takes no time', () => {
		const begun = cpuMs();
		expect(nearMatches('a red fox in the snow, '.repeat(1_000), models)).toEqual([]);
		expect(cpuMs() - begun).toBeLessThan(2_000);
	});
});
