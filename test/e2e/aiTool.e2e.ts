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
	/** As it stands in the node. */
	jobId?: unknown;
	version?: number;
	maxWaitMinutes?: number;
}

const ASKED = '={{ $fromAI("job_id", "the job", "string") }}';
const BY_ID = { __rl: true, mode: 'id', value: ASKED };

/** Submit Workflow and Wait For Job are its tools. */
async function talk(behaviour: Behaviour, { graph, jobId = BY_ID, version, maxWaitMinutes = 1 }: Talk) {
	const submit = comfy('comfySubmitWorkflow', {
		workflow: JSON.stringify(graph),
		inputs: {
			values: [{ input: { __rl: true, mode: 'name', value: '1.color' }, value: '={{ $fromAI("color", "the color", "number") }}' }],
		},
	});
	return (await talkTo(session, behaviour, { submit, wait: comfy('comfyWaitForJob', { jobId, maxWaitMinutes }) }, version)).execution;
}

test.each([
	['chosen By ID', BY_ID],
	['plain, as in workflows of before', ASKED],
])('an agent submits and waits with our nodes as tools, and sees lean JSON without base64 (Job ID %s)', async (_name, jobId) => {
	const before = session.sandbox.ledger.runs.length;
	const seen: string[] = [];
	const execution = await talk(
		(answers) => {
			seen.splice(0, seen.length, ...answers);
			if (answers.length === 0) return { tool: 'submit', arguments: { color: 0xff0000 } };
			if (answers.length === 1) return { tool: 'wait', arguments: { job_id: jobIdIn(answers[0]) } };
			return 'done';
		},
		{ graph: quick, jobId },
	);

	expect(execution.status).toBe('success');
	expect(session.sandbox.ledger.runs).toHaveLength(before + 1);
	expect(session.sandbox.job(String(jobIdIn(seen[0])))?.graph['1']?.inputs.color).toBe(0xff0000);
	expect(seen[1]).toContain('succeeded');
	expect(Math.max(...seen.map(({ length }) => length))).toBeLessThan(8_000);
});

test.each([2.2, 3.1])('an agent of version %f that asks for two pictures gets two jobs', async (version) => {
	const before = session.sandbox.ledger.runs.length;
	const seen: string[] = [];
	await talk(
		(answers) => {
			seen.splice(0, seen.length, ...answers);
			return answers.length < 2 ? { tool: 'submit', arguments: { color: 10 + answers.length } } : 'done';
		},
		{ graph: quick, version },
	);
	const jobs = session.sandbox.ledger.runs.slice(before).map(({ jobId }) => jobId);
	expect(jobs).toEqual(seen.map(jobIdIn));
	expect(jobs.map((id) => session.sandbox.job(id)?.graph['1']?.inputs.color)).toEqual([10, 11]);
});

test('a job that did not succeed reaches the agent in words', async () => {
	const seen: string[] = [];
	await talk(
		(answers) => {
			seen.splice(0, seen.length, ...answers);
			if (answers.length === 0) return { tool: 'submit', arguments: { color: 1 } };
			if (answers.length === 1) return { tool: 'wait', arguments: { job_id: jobIdIn(answers[0]) } };
			return 'sorry';
		},
		{ graph: failing },
	);
	expect(seen[1]).toMatch(/stopped at node/);
});

test.each([2.2, 3.1])('a job that still runs after Max Wait reaches the agent too (version %f)', async (version) => {
	session.sandbox.configure({ gateOpen: false });
	const seen: string[] = [];
	await talk(
		(answers) => {
			seen.splice(0, seen.length, ...answers);
			if (answers.length === 0) return { tool: 'submit', arguments: { color: Math.round(version * 10) } };
			if (answers.length === 1) return { tool: 'wait', arguments: { job_id: jobIdIn(answers[0]) } };
			return 'later';
		},
		{ graph: gated(1), version, maxWaitMinutes: 0.01 },
	);
	expect(jobIdIn(seen[1])).toBe(jobIdIn(seen[0]));
	expect(seen[1]).toMatch(/running|queued/);
});
