import sharp from 'sharp';
import {
	type Execution,
	importWorkflow,
	itemsOf,
	readExample,
	type WorkflowDocument,
	type WorkflowNode,
} from '../../scripts/n8nHost/documents';
import { failing, gated, previewed, quick, unsaved } from './support/graphs';
import { type Behaviour, type OfferedTool, scriptedModel } from './support/model';
import { openSession, type Session } from './support/session';
import { comfy, node, TRIGGER } from './support/workflows';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

/** In what a tool answered, however it is quoted. */
const jobIdIn = (text: string | undefined): string | undefined => /"job_id":"([^"]+)"/.exec(text?.replaceAll('\\"', '"') ?? '')?.[1];

interface Talk {
	execution: Execution;
	/** The last answers of all tools. */
	seen: string[];
	tools: OfferedTool[];
}

/** Runs a workflow whose model follows a script. @param begin starts it with the model at this address. */
async function talk(behaviour: Behaviour, begin: (modelUrl: string) => Promise<string>): Promise<Talk> {
	let [seen, tools]: [string[], OfferedTool[]] = [[], []];
	const model = await scriptedModel((answers, offers) => {
		[seen, tools] = [[...answers], offers];
		return behaviour(answers, offers);
	});
	const execution = await session.rest.waitFor(await begin(model.url));
	await model.close();
	expect(execution.data.resultData.error).toBeUndefined();
	expect(execution.status).toBe('success');
	return { execution, seen, tools };
}

const openAi = async (url: string) =>
	await session.rest.createCredential({ name: 'Model', type: 'openAiApi', data: { apiKey: 'none', url } });

const into = (type: string) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });

function agent(modelUrl: string, tools: Record<string, WorkflowNode>, version: number): WorkflowDocument {
	const model = node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, {
		model: { __rl: true, mode: 'id', value: 'scripted' },
		options: { baseURL: modelUrl },
	});
	return {
		name: 'an agent with our nodes as its tools',
		nodes: [
			node(TRIGGER, 'n8n-nodes-base.manualTrigger', 1, {}),
			node('Agent', '@n8n/n8n-nodes-langchain.agent', version, { promptType: 'define', text: 'Make a red picture', options: {} }),
			{ ...model, credentials: { openAiApi: { id: null, name: '' } } },
			...Object.entries(tools).map(([name, one]) => ({ ...one, id: name, name, type: `${one.type}Tool` })),
		],
		connections: {
			[TRIGGER]: into('main'),
			Model: into('ai_languageModel'),
			...Object.fromEntries(Object.keys(tools).map((name) => [name, into('ai_tool')])),
		},
	};
}

const withTools = async (behaviour: Behaviour, tools: Record<string, WorkflowNode>, version = 3.1): Promise<Talk> =>
	await talk(
		behaviour,
		async (url) => await session.start(agent(url, tools, version), TRIGGER, [...session.credentials, await openAi(url)]),
	);

const colored = (graph: object) => ({
	workflow: JSON.stringify(graph),
	inputs: {
		values: [{ input: { __rl: true, mode: 'name', value: '1.color' }, value: '={{ $fromAI("color", "the color", "number") }}' }],
	},
});

/** With nothing else filled in: as they stand when they are put on an agent. */
const defaultTools = (graph: object, options = {}) => ({
	draw: comfy('comfyRunWorkflow', { ...colored(graph), options }),
	wait: comfy('comfyWaitForJob', {}),
	look: comfy('comfyManageJobs', {}),
});

test('tools with their default settings describe their inputs and outputs, and the model is asked for the job id', async () => {
	const { tools } = await withTools(() => 'nothing to do', defaultTools(quick));
	const byName = Object.fromEntries(
		tools.map(({ function: { name, description, parameters } }) => [name, { description, asked: parameters.properties }]),
	);
	expect(byName).toMatchObject({
		draw: {
			description: expect.stringMatching(/^Runs a ComfyUI workflow.*Returns JSON: job_id/),
			asked: { color: { description: 'the color' } },
		},
		wait: {
			description: expect.stringMatching(/^Waits for a limited time.*job_id/),
			asked: { job_id: { description: expect.stringContaining('job_id') } },
		},
		look: { description: expect.stringMatching(/^Gets the current status of a ComfyUI job/), asked: { job_id: {} } },
	});
});

describe.each([2.2, 3.1])('an agent of version %f', (version) => {
	test('reads a short description of each picture, makes a second job by a second call, and reads why a job failed', async () => {
		const before = session.sandbox.ledger.runs.length;
		const calls = ['draw', 'draw', 'fail'];
		const { seen, execution } = await withTools(
			({ length }) => (length < calls.length ? { tool: String(calls[length]), arguments: { color: 0xff0000 } } : 'done'),
			{ draw: comfy('comfyRunWorkflow', colored(quick)), fail: comfy('comfyRunWorkflow', colored(failing)) },
			version,
		);
		const jobs = session.sandbox.ledger.runs.slice(before).map(({ jobId }) => jobId);
		expect(jobs.slice(0, 2)).toEqual(seen.slice(0, 2).map(jobIdIn));
		expect(jobs).toHaveLength(3);
		expect(session.sandbox.job(String(jobs[0]))?.graph['1']?.inputs.color).toBe(0xff0000);
		for (const answer of seen.slice(0, 2)) {
			expect(answer).toMatch(/succeeded.*\.png.*image\/png.*deliver them with this job_id/);
			expect(answer).not.toMatch(/base64|Signature/);
		}
		expect(seen[2]).toMatch(/Job [0-9a-f-]{36} stopped at node .*If you call the tool again with other fields, it creates a new job/);
		expect(seen[2]).not.toMatch(/Traceback/);
		expect(Math.max(...seen.map(({ length }) => length))).toBeLessThan(1_500);
		expect(JSON.stringify(execution)).not.toMatch(/filesystem-v2/);
	});

	test('receives the id of a long job immediately, and asks again until the job ends', async () => {
		const { sandbox } = session;
		sandbox.configure({ gateOpen: false });
		const { seen } = await withTools(
			(answers) => {
				if (answers.length === 0) return { tool: 'draw', arguments: { color: Math.round(version * 10) } };
				if (answers.length === 2) sandbox.configure({ gateOpen: true });
				return answers.length < 3 ? { tool: answers.length === 1 ? 'look' : 'wait', arguments: { job_id: jobIdIn(answers[0]) } } : 'done';
			},
			defaultTools(gated(1), { maxWaitMinutes: 0.01 }),
			version,
		);
		expect(seen[0]).toMatch(/"?(queued|running).*Check it again later with this job_id/);
		expect(seen.map(jobIdIn)).toEqual([jobIdIn(seen[0]), jobIdIn(seen[0]), jobIdIn(seen[0])]);
		expect(seen[2]).toMatch(/succeeded.*\.png/);
	});
});

test('an agent reads from its tools that two jobs saved nothing, and nothing like it about a job that saved', async () => {
	const calls = ['send', 'show', 'draw'];
	const { seen } = await withTools(
		({ length }) => (length < calls.length ? { tool: String(calls[length]), arguments: { color: 0xff0000 } } : 'done'),
		{
			send: comfy('comfyRunWorkflow', colored(unsaved)),
			show: comfy('comfyRunWorkflow', colored(previewed)),
			draw: comfy('comfyRunWorkflow', colored(quick)),
		},
	);
	const [sent, shown, drawn] = seen.map((text) => text.replaceAll('\\"', '"'));
	expect(sent).toMatch(/"succeeded".*"outputs":\[\],"not_delivered":\[\{"node_id":"2".*"nothing_reported".*reported no file/);
	expect(shown).toMatch(/"succeeded".*"outputs":\[\],"not_delivered":\[\{"node_id":"2".*"only_previews".*temporary previews/);
	expect(drawn).toMatch(/"succeeded".*\.png/);
	expect(drawn).not.toMatch(/not_delivered/);
});

/** Writes in the chat of the example. */
const chat = async (chatInput: string, behaviour: Behaviour): Promise<Talk> =>
	await talk(behaviour, async (url) => {
		const example = await readExample('agent-draws');
		for (const { name, parameters } of example.nodes) {
			if (name === 'Model') parameters.options = { baseURL: url };
			if (name === 'generate_image') (parameters.options as Record<string, unknown>).maxWaitMinutes = 0.02;
			if (name === 'check_image') parameters.maxWaitMinutes = 0.02;
		}
		const workflow = await importWorkflow(session.rest, example, [...session.credentials, await openAi(url)]);
		return await session.rest.run(workflow, 'Chat', [{ json: { chatInput, sessionId: 'talk', action: 'sendMessage' } }]);
	});

test('agent-draws asks again for a job that still runs after Max Wait, and delivers its file', async () => {
	const { sandbox } = session;
	sandbox.configure({ workers: 0 });
	const before = sandbox.ledger.runs.length;
	const { seen, execution } = await chat('Generate an image of a lighthouse', (answers) => {
		if (answers.length === 2) sandbox.configure({ workers: 4 });
		if (answers.length === 0) return { tool: 'generate_image', arguments: { prompt: 'a lighthouse at sunset, oil painting' } };
		if (!/succeeded/.test(answers.at(-1) ?? '') && answers.length < 12)
			return { tool: 'check_image', arguments: { job_id: jobIdIn(answers[0]) } };
		return 'A lighthouse, as you wished.';
	});
	const [job, ...others] = sandbox.ledger.runs.slice(before).map(({ jobId }) => jobId);
	expect(others).toEqual([]);
	expect(sandbox.job(String(job))?.graph['6']?.inputs.text).toBe('a lighthouse at sunset, oil painting');
	expect(seen.length).toBeGreaterThan(2);
	for (const answer of seen.slice(0, 2)) expect(answer).toMatch(/running|queued/);
	expect(seen.map(jobIdIn)).toEqual(seen.map(() => job));
	expect(seen.at(-1)).toMatch(/succeeded.*\.png/);
	expect(Math.max(...seen.map(({ length }) => length))).toBeLessThan(4_000);
	expect(itemsOf(execution, 'Get Job ID')[0]?.json).toEqual({ output: 'A lighthouse, as you wished.', job_id: job });
	const pictures = itemsOf(execution, 'Download Image');
	expect(pictures.map(({ json }) => json.job_id)).toEqual([job]);
	const picture = await session.rest.binary(pictures[0]?.binary?.data?.id ?? 'none');
	expect(await sharp(picture).metadata()).toMatchObject({ format: 'png', width: 512, height: 512 });
});

test('agent-draws delivers nothing if its agent only talks', async () => {
	const { execution } = await chat('Hello', () => 'Hello.');
	expect(itemsOf(execution, 'Get Job ID')[0]?.json).toEqual({ output: 'Hello.', job_id: '' });
	expect(itemsOf(execution, 'Download Image')).toEqual([]);
});
