import sharp from 'sharp';
import { importWorkflow, itemsOf, readExample, type Execution } from '../../scripts/n8nHost';
import { jobIdIn } from './support/agent';
import { type Behaviour, scriptedModel } from './support/model';
import { openSession, type Session } from './support/session';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

/** Writes in the chat of the example; its model follows a script. */
async function chat(chatInput: string, behaviour: Behaviour, maxWaitMinutes = 1): Promise<Execution> {
	const model = await scriptedModel(behaviour);
	const openAi = await session.rest.createCredential({ name: 'Model', type: 'openAiApi', data: { apiKey: 'none', url: model.url } });
	const example = await readExample('agent-draws');
	for (const { name, parameters } of example.nodes) {
		if (name === 'Model') parameters.options = { baseURL: model.url };
		if (name === 'draw_picture') (parameters.options as Record<string, unknown>).maxWaitMinutes = maxWaitMinutes;
		if (name === 'check_picture') parameters.maxWaitMinutes = maxWaitMinutes;
	}
	const workflow = await importWorkflow(session.rest, example, [...session.credentials, openAi]);
	const execution = await session.rest.waitFor(
		await session.rest.run(workflow, 'Chat', [{ json: { chatInput, sessionId: 'talk', action: 'sendMessage' } }]),
	);
	await model.close();
	expect(execution.data.resultData.error).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

async function expectDelivery(execution: Execution, jobId: string): Promise<void> {
	const [item, ...others] = itemsOf(execution, 'Picture');
	expect(others).toEqual([]);
	expect(item?.json.job_id).toBe(jobId);
	const picture = await session.rest.binary(item?.binary?.data?.id ?? 'none');
	expect(await sharp(picture).metadata()).toMatchObject({ format: 'png', width: 512, height: 512 });
}

test('agent-draws: the agent draws with lean answers, and its file is delivered after it', async () => {
	const seen: string[] = [];
	const before = session.sandbox.ledger.runs.length;
	const execution = await chat('Draw me a lighthouse', (answers) => {
		seen.splice(0, seen.length, ...answers);
		return answers.length === 0
			? { tool: 'draw_picture', arguments: { prompt: 'a lighthouse at sunset, oil painting' } }
			: 'A lighthouse, as you wished.';
	});
	const runs = session.sandbox.ledger.runs.slice(before);
	expect(runs).toHaveLength(1);
	const jobId = String(runs[0]?.jobId);
	expect(session.sandbox.job(jobId)?.graph['6']?.inputs.text).toBe('a lighthouse at sunset, oil painting');
	expect(seen).toHaveLength(1);
	expect(jobIdIn(seen[0])).toBe(jobId);
	expect(seen[0]).toContain('.png');
	expect(seen[0]?.length).toBeLessThan(4_000);
	expect(itemsOf(execution, 'Which Job')[0]?.json).toEqual({ output: 'A lighthouse, as you wished.', job_id: jobId });
	await expectDelivery(execution, jobId);
});

test('agent-draws: a job that still runs after Max Wait is asked for again, and its file is delivered', async () => {
	const { sandbox } = session;
	sandbox.configure({ workers: 0 });
	const seen: string[] = [];
	const before = session.sandbox.ledger.runs.length;
	const execution = await chat(
		'Draw me a lighthouse',
		(answers) => {
			seen.splice(0, seen.length, ...answers);
			if (answers.length === 2) sandbox.configure({ workers: 4 });
			if (answers.length === 0) return { tool: 'draw_picture', arguments: { prompt: 'a lighthouse' } };
			if (!/succeeded/.test(answers.at(-1) ?? '') && answers.length < 12)
				return { tool: 'check_picture', arguments: { job_id: jobIdIn(answers[0]) } };
			return 'Here it is.';
		},
		0.02,
	);
	const runs = session.sandbox.ledger.runs.slice(before);
	expect(runs).toHaveLength(1);
	expect(seen.length).toBeGreaterThan(2);
	for (const answer of seen.slice(0, 2)) expect(answer).toMatch(/running|queued/);
	expect(seen.map(jobIdIn)).toEqual(seen.map(() => runs[0]?.jobId));
	expect(seen.at(-1)).toContain('succeeded');
	await expectDelivery(execution, String(runs[0]?.jobId));
});

test('agent-draws: an agent that only talks delivers nothing', async () => {
	const execution = await chat('Hello', () => 'Hello.');
	expect(itemsOf(execution, 'Which Job')[0]?.json).toEqual({ output: 'Hello.', job_id: '' });
	expect(itemsOf(execution, 'Picture')).toEqual([]);
});
