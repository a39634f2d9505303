import { type Execution, itemsOf, type WorkflowNode } from '../../scripts/n8nHost/documents';
import { textToImage } from '../support/stockGraphs';
import { engineRequests, onServer, saveServer, submitToEngine } from './support/engine';
import { gatedPicture, quick } from './support/graphs';
import { openSession, type Session } from './support/session';
import { until } from './support/until';
import { chain, items, node, TRIGGER } from './support/workflows';

const RUN = 'comfyRunWorkflow';

let session: Session;
beforeEach(async () => {
	session = await openSession();
});
afterEach(() => session.close());

/** Runs the nodes with the credential of the sandbox's engine. @param changes fields of this credential. */
async function runOnServer(name: string, nodes: WorkflowNode[], changes?: object): Promise<Execution> {
	const saved = await saveServer(session, { ...changes });
	const execution = await session.rest.waitFor(await session.start(chain(name, ...nodes), TRIGGER, saved));
	expect([execution.status, execution.data.resultData.error]).toEqual(['success', undefined]);
	return execution;
}

test('n8n shows one hint if Free Memory Afterwards sends no request while a job of another program runs', async () => {
	session.sandbox.configure({ gateOpen: false, engineConcurrency: 2 });
	const others = await submitToEngine(session, gatedPicture);
	await until('the job of another program', () => session.sandbox.job(others)?.status === 'running' || undefined);
	// Each item gets a color of its own, because ComfyUI does not run an equal workflow again.
	const options = { freeMemory: 'whenDone', inputValues: '={{ { "1": { color: $json.index } } }}' };
	const { data } = await runOnServer('free no memory', [...items(3), onServer(RUN, { workflow: JSON.stringify(quick), options })]);
	const { hints } = data.resultData.runData[RUN]?.at(-1) as { hints?: Array<{ message: string }> };
	expect(hints?.map(({ message }) => message)).toEqual([
		'The memory of ComfyUI was not freed, because 1 job is still queued or running. To free it in this case too, turn on Free Memory Even If Others Wait.',
	]);
	expect(engineRequests(session, 'POST', '/free')).toEqual([]);
});

test('a ComfyUI behind a user and a password accepts all requests of our nodes and of HTTP Request', async () => {
	const password = 'a right sécret: 1';
	const authorization = `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`;
	session.sandbox.configure({ engineAuthorization: authorization });
	const httpRequest: WorkflowNode = {
		...node('HTTP Request', 'n8n-nodes-base.httpRequest', 4.2, {
			url: `${session.sandbox.urls.engine}/system_stats`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'comfySelfHostedApi',
			options: {},
		}),
		credentials: { comfySelfHostedApi: { id: null, name: '' } },
	};
	const nodes = [onServer(RUN, { workflow: JSON.stringify(quick) }), httpRequest];
	const execution = await runOnServer('signed in', nodes, { signIn: 'basic', user: 'ann', password, engineIsElsewhere: false });
	expect(itemsOf(execution, httpRequest.name).map(({ json }) => json)).toMatchObject([{ system: { os: 'sandbox' } }]);
	expect(itemsOf(execution, RUN)[0]?.binary?.data?.mimeType).toBe('image/png');
	const requests = session.sandbox.requests(undefined, 'engine');
	expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(new Set([authorization]));
	expect(requests.filter(({ status }) => status === 401)).toEqual([]);
});

test('Choice lists the models of ComfyUI that contain the search text, and the job loads the chosen one', async () => {
	const model = 'midnight_v1.safetensors';
	const runWith = (value: string): WorkflowNode => {
		const choice = { __rl: true, mode: 'list', value, cachedResultName: value };
		const values = [{ input: { __rl: true, mode: 'list', value: '4.ckpt_name' }, valueFrom: 'choice', choice }];
		return onServer(RUN, { workflow: JSON.stringify(textToImage), inputs: { values } });
	};
	const [saved] = await saveServer(session);
	const edited = { ...runWith(''), credentials: { comfySelfHostedApi: { id: saved!.id, name: saved!.name } } };
	const list = { parameter: 'inputs.values[0].choice', methodName: 'searchChoices', node: edited };
	const { results } = await session.rest.listResults(list, { filter: 'midn' });
	expect(results.map(({ value }) => value)).toEqual([model]);

	const execution = await runOnServer('a chosen model', [runWith(model)]);
	const jobId = String(itemsOf(execution, RUN)[0]?.json.job_id);
	expect(session.sandbox.job(jobId)?.graph['4']?.inputs.ckpt_name).toBe(model);
});
