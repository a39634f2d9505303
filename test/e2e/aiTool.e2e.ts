import type { WorkflowDocument, WorkflowNode } from '../../scripts/n8nHost';
import { failing, quick, slowFor } from './support/graphs';
import { type Behaviour, scriptedModel } from './support/model';
import { openSession, type Session } from './support/session';
import { TRIGGER, comfy, node } from './support/workflows';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

const tool = (name: string, { type, ...rest }: WorkflowNode): WorkflowNode => ({ ...rest, id: name, name, type: `${type}Tool` });

const into = (name: string, type: string) => ({ [type]: [[{ node: name, type, index: 0 }]] });

interface Talk {
	graph: object;
	/** As it stands in the node. */
	jobId?: unknown;
	version?: number;
	maxWaitMinutes?: number;
}

const ASKED = '={{ $fromAI("job_id", "the job", "string") }}';
const BY_ID = { __rl: true, mode: 'id', value: ASKED };

/** An agent with a model that follows a script, and our nodes as its tools. */
function agent(modelUrl: string, { graph, jobId = BY_ID, version = 3.1, maxWaitMinutes = 1 }: Talk): WorkflowDocument {
	const submit = comfy('comfySubmitWorkflow', {
		workflow: JSON.stringify(graph),
		inputs: { values: [{ input: { __rl: true, mode: 'name', value: '1.color' }, value: '={{ $fromAI("color", "the color", "number") }}' }] },
	});
	const wait = comfy('comfyWaitForJob', { jobId, maxWaitMinutes });
	return {
		name: 'an agent that makes pictures',
		nodes: [
			node(TRIGGER, 'n8n-nodes-base.manualTrigger', 1, {}),
			node('Agent', '@n8n/n8n-nodes-langchain.agent', version, { promptType: 'define', text: 'Make a red picture', options: {} }),
			{
				...node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, { model: { __rl: true, mode: 'id', value: 'scripted' }, options: { baseURL: modelUrl } }),
				credentials: { openAiApi: { id: null, name: '' } },
			},
			tool('submit', submit),
			tool('wait', wait),
		],
		connections: {
			[TRIGGER]: into('Agent', 'main'),
			Model: into('Agent', 'ai_languageModel'),
			submit: into('Agent', 'ai_tool'),
			wait: into('Agent', 'ai_tool'),
		},
	};
}

async function talk(behaviour: Behaviour, settings: Talk) {
	const model = await scriptedModel(behaviour);
	const openAi = await session.rest.createCredential({ name: 'Model', type: 'openAiApi', data: { apiKey: 'none', url: model.url } });
	const id = await session.start(agent(model.url, settings), TRIGGER, [...session.credentials, openAi]);
	const execution = await session.rest.waitFor(id);
	await model.close();
	return execution;
}

const jobIdIn = (text: string | undefined) => /"job_id":"([^"]+)"/.exec(text?.replaceAll('\\"', '"') ?? '')?.[1];

test.each([
	['chosen By ID', BY_ID],
	['plain, as in workflows of before', ASKED],
])('an agent submits and waits with our nodes as tools, and sees lean JSON without base64 (Job ID %s)', async (_name, jobId) => {
	const before = session.sandbox.ledger.runs.length;
	const seen: string[] = [];
	const execution = await talk((answers) => {
		seen.splice(0, seen.length, ...answers);
		if (answers.length === 0) return { tool: 'submit', arguments: { color: 0xff0000 } };
		if (answers.length === 1) return { tool: 'wait', arguments: { job_id: jobIdIn(answers[0]) } };
		return 'done';
	}, { graph: quick, jobId });

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
	await talk((answers) => {
		seen.splice(0, seen.length, ...answers);
		if (answers.length === 0) return { tool: 'submit', arguments: { color: 1 } };
		if (answers.length === 1) return { tool: 'wait', arguments: { job_id: jobIdIn(answers[0]) } };
		return 'sorry';
	}, { graph: failing });
	expect(seen[1]).toMatch(/stopped at node/);
});

test.each([2.2, 3.1])('a job that still runs after Max Wait reaches the agent too (version %f)', async (version) => {
	const seen: string[] = [];
	await talk(
		(answers) => {
			seen.splice(0, seen.length, ...answers);
			if (answers.length === 0) return { tool: 'submit', arguments: { color: 2 } };
			if (answers.length === 1) return { tool: 'wait', arguments: { job_id: jobIdIn(answers[0]) } };
			return 'later';
		},
		{ graph: slowFor(5_000), version, maxWaitMinutes: 0.01 },
	);
	expect(jobIdIn(seen[1])).toBe(jobIdIn(seen[0]));
	expect(seen[1]).toMatch(/running|queued/);
});
