import { jobIdIn, talkTo } from './support/agent';
import { failing, gated, quick } from './support/graphs';
import type { Behaviour } from './support/model';
import { openSession, type Session } from './support/session';
import { comfy } from './support/workflows';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

interface Talk {
	graph: object;
	version?: number;
	maxWaitMinutes?: number;
}

/** Run Workflow as one tool, and Wait For Job as another, with nothing filled in: as they stand when they are put on an agent. */
async function talk(behaviour: Behaviour, { graph, version, maxWaitMinutes }: Talk) {
	const draw = comfy('comfyRunWorkflow', {
		workflow: JSON.stringify(graph),
		inputs: {
			values: [{ input: { __rl: true, mode: 'name', value: '1.color' }, value: '={{ $fromAI("color", "the color", "number") }}' }],
		},
		options: { ...(maxWaitMinutes !== undefined && { maxWaitMinutes }) },
	});
	return await talkTo(session, behaviour, { draw, wait: comfy('comfyWaitForJob', {}), look: comfy('comfyManageJobs', {}) }, version);
}

test('tools with their default settings describe their inputs and outputs, and the model is asked for the job id', async () => {
	const { tools, execution } = await talk(() => 'nothing to do', { graph: quick });
	expect(execution.status).toBe('success');
	const byName = Object.fromEntries(
		tools.map(({ function: { name, description, parameters } }) => [name, { description, asked: parameters.properties }]),
	);
	expect(byName.draw).toMatchObject({
		description: expect.stringMatching(/^Runs a ComfyUI workflow.*Answers JSON: job_id/),
		asked: { color: { description: 'the color' } },
	});
	expect(byName.wait).toMatchObject({
		description: expect.stringMatching(/^Waits for a limited time.*job_id/),
		asked: { job_id: { description: expect.stringContaining('job_id') } },
	});
	expect(byName.look).toMatchObject({ description: expect.stringMatching(/^Looks at a ComfyUI job/), asked: { job_id: {} } });
});

test.each([2.2, 3.1])('an agent (version %f) draws by one tool, and reads a short description of the picture', async (version) => {
	const before = session.sandbox.ledger.runs.length;
	const { execution, seen } = await talk((answers) => (answers.length === 0 ? { tool: 'draw', arguments: { color: 0xff0000 } } : 'done'), {
		graph: quick,
		version,
	});
	expect(execution.status).toBe('success');
	expect(session.sandbox.ledger.runs).toHaveLength(before + 1);
	expect(session.sandbox.job(String(jobIdIn(seen[0])))?.graph['1']?.inputs.color).toBe(0xff0000);
	expect(seen[0]).toMatch(/succeeded.*\.png.*image\/png.*deliver them by this job_id/);
	expect(seen[0]).not.toMatch(/base64|Signature/);
	expect(seen[0]?.length).toBeLessThan(1_500);
	expect(JSON.stringify(execution)).not.toMatch(/filesystem-v2/);
});

test.each([2.2, 3.1])('the id of a long job (version %f) comes at once, and the agent asks again until the job ends', async (version) => {
	const { sandbox } = session;
	sandbox.configure({ gateOpen: false });
	const { seen } = await talk(
		(answers) => {
			if (answers.length === 2) sandbox.configure({ gateOpen: true });
			if (answers.length === 0) return { tool: 'draw', arguments: { color: Math.round(version * 10) } };
			if (answers.length === 1) return { tool: 'look', arguments: { job_id: jobIdIn(answers[0]) } };
			return answers.length === 2 ? { tool: 'wait', arguments: { job_id: jobIdIn(answers[0]) } } : 'done';
		},
		{ graph: gated(1), version, maxWaitMinutes: 0.01 },
	);
	expect(seen[0]).toMatch(/"?(queued|running).*Ask again with this job_id/);
	expect(seen.map(jobIdIn)).toEqual([jobIdIn(seen[0]), jobIdIn(seen[0]), jobIdIn(seen[0])]);
	expect(seen[2]).toMatch(/succeeded.*\.png/);
});

test.each([2.2, 3.1])(
	'a job that did not succeed (version %f): the model reads what happened, what to do, and which job it was',
	async (version) => {
		const { seen } = await talk((answers) => (answers.length === 0 ? { tool: 'draw', arguments: { color: 1 } } : 'sorry'), {
			graph: failing,
			version,
		});
		expect(seen[0]).toMatch(/Job [0-9a-f-]{36} stopped at node .*Calling the tool again makes a new job/);
		expect(seen[0]).not.toMatch(/Traceback/);
		expect(seen[0]?.length).toBeLessThan(1_500);
	},
);

test.each([2.2, 3.1])('a second call of the same tool is a second job (version %f)', async (version) => {
	const { seen } = await talk((answers) => (answers.length < 2 ? { tool: 'draw', arguments: { color: 5 } } : 'done'), {
		graph: quick,
		version,
	});
	expect(new Set(seen.map(jobIdIn)).size).toBe(2);
});
