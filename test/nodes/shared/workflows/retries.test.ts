import { appText } from '../../../support/savedApps';
import { fieldsIn, filled } from '../../support/apps';
import { editorFile, exportedFile, promptFile } from '../../support/editorFiles';
import { type Credential, type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { runRun } from '../../support/run';
import { jsons, submitRun } from '../../support/submit';
import { sharedSandbox } from '../../support/sandbox';
import { storedContext } from '../../support/retried';

const sandbox = sharedSandbox();

let color = 91_000;
const NODES = ['comfyRunWorkflow', 'comfySubmitWorkflow'] as const;

const graphOf = ({ outputs, error }: NodeResult, index = 0): ReturnType<typeof exportedFile> | undefined => {
	expect(error).toBeUndefined();
	return sandbox.job(String(outputs[0]?.[index]?.json.job_id))?.graph;
};
const runSaved = (node: (typeof NODES)[number], credential: Credential, name: string, more: Partial<NodeRun> = {}): NodeRun =>
	(node === 'comfyRunWorkflow' ? runRun : submitRun)(credential, undefined, {
		...more,
		parameters: { workflowSource: 'saved', savedWorkflow: { __rl: true, mode: 'list', value: name }, ...more.parameters },
	});

describe.each(NODES)('a saved workflow that was changed between two tries (%s)', (node) => {
	it.each(['edited', 'deleted'] as const)('remains one job with its workflow when it was %s', async (how) => {
		const mine = color++;
		sandbox.saveWorkflow('kept.json', editorFile(mine));
		const run = runSaved(node, credentialFor(sandbox, 'bare_engine'), 'kept.json', {
			executionId: `kept-${node}-${how}`,
			parameters: { options: { inputValues: '{"1": {"color": 7}}' } },
		});
		const first = await runNode(run);
		const jobs = sandbox.ledger.runs.length;
		if (how === 'deleted') sandbox.deleteWorkflow('kept.json');
		else sandbox.saveWorkflow('kept.json', { ...editorFile(color++), nodes: [], links: [] });
		const second = await runNode({ ...run, contextData: storedContext(first) });
		expect(graphOf(second)).toEqual(exportedFile(7));
		expect(jsons(second)[0]?.job_id).toBe(jsons(first)[0]?.job_id);
		expect(sandbox.ledger.runs).toHaveLength(jobs);
	});
});

it('a retry takes a saved app, with what its form sets, from the job, or from the library if the job’s workflow cannot be read', async () => {
	const READ = 'GET /api/v2/jobs/:id/workflow';
	const hosted = credentialFor(sandbox);
	const { fields } = await fieldsIn(hosted, appText('renamed'));
	sandbox.saveWorkflow('app.json', JSON.parse(appText('renamed')) as object, { surface: 'hosted' });
	const run = runSaved('comfySubmitWorkflow', hosted, 'app.json', {
		executionId: 'saved-app',
		parameters: { appInputs: filled(fields, { 'What to draw': 'a hare' }), options: { inputValues: '{"4": {"width": 64}}' } },
	});
	const first = await runNode(run);
	expect(graphOf(first)?.['2']?.inputs.text).toBe('a hare');
	expect(sandbox.requests(READ)).toEqual([]);
	const jobs = sandbox.ledger.runs.length;
	const again = async (): Promise<unknown[]> =>
		jsons(await runNode({ ...run, contextData: storedContext(first) })).map(({ job_id: id }) => id);
	expect(await again()).toEqual([jsons(first)[0]?.job_id]);
	expect(sandbox.requests(READ)).toHaveLength(1);
	sandbox.inject({ on: READ, answer: { status: 404, code: 'job_not_found' } });
	expect(await again()).toEqual([jsons(first)[0]?.job_id]);
	expect(sandbox.ledger.runs).toHaveLength(jobs);
});

it('an unconfirmed call of an agent makes no second job after its saved workflow was edited', async () => {
	const hosted = credentialFor(sandbox);
	sandbox.saveWorkflow('agent.json', editorFile(color++), { surface: 'hosted' });
	const run = runSaved('comfySubmitWorkflow', hosted, 'agent.json', {
		asTool: true,
		executionId: 'agent-1',
		parameters: { options: { keepTryingForSeconds: 0 } },
	});
	sandbox.inject({ on: 'POST /api/v2/jobs', times: 1, fault: { kind: 'drop_after' } });
	const jobs = sandbox.ledger.runs.length;
	const first = await runNode(run);
	sandbox.saveWorkflow('agent.json', editorFile(color++), { surface: 'hosted' });
	const keys = sandbox.requests('POST /api/v2/jobs').map(({ headers }) => headers['idempotency-key']);
	await runNode({ ...run, contextData: storedContext(first) });
	expect(sandbox.ledger.runs).toHaveLength(jobs + 1);
	expect(new Set([...keys, ...sandbox.requests('POST /api/v2/jobs').map(({ headers }) => headers['idempotency-key'])]).size).toBe(1);
});

describe('prompts with dynamic choices', () => {
	const PROMPT = 'a {red|green|blue|white|black} fox // in a hurry\nby {day|night}';
	const run = (credential: Credential, more: Partial<NodeRun> = {}, text = PROMPT): NodeRun =>
		runRun(credential, JSON.stringify(promptFile(text)), more);
	const textOf = (result: NodeResult, index = 0): unknown => graphOf(result, index)?.['2']?.inputs.text;

	it.each(['hosted', 'v1', 'bare_engine'] as const)(
		'are resolved for each item, reported in it, and the same in a retry (%s)',
		async (way) => {
			const items = Array.from({ length: 12 }, (_, index) => ({ json: { index } }));
			const executionId = `drawn-${way}`;
			const first = await runNode(run(credentialFor(sandbox, way), { items, executionId }));
			const texts = items.map((_, index) => String(textOf(first, index)));
			for (const text of texts) expect(text).toMatch(/^a (red|green|blue|white|black) fox \nby (day|night)$/);
			expect(new Set(texts).size).toBeGreaterThan(2);
			expect(jsons(first).map(({ dynamic_prompts: told }) => told)).toEqual(texts.map((text) => ({ '2.text': text })));
			const again = await runNode(run(credentialFor(sandbox, way), { items, executionId, contextData: storedContext(first) }));
			expect(jsons(again).map(({ dynamic_prompts: told }) => told)).toEqual(texts.map((text) => ({ '2.text': text })));
		},
	);

	it('from an item stay as they are, unless they hold choices as well', async () => {
		const given = async (value: string) => {
			const inputs = { values: [{ input: { __rl: true, mode: 'name', value: '2.text' }, value }] };
			return textOf(await runNode(run(credentialFor(sandbox, 'bare_engine'), { parameters: { inputs } })));
		};
		const json = '{"at": "https://example.com/fox"}';
		expect(await given(json)).toBe(json);
		expect(await given('one {dog|dog}')).toBe('one dog');
	});
});
