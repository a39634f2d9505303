import { importCredentials, type CredentialDocument, type WorkflowNode } from '../../scripts/n8nHost';
import { sandboxCredentials } from '../../scripts/sandboxCredentials';
import { expectNowhere } from './support/canaries';
import { endless, failing, quick } from './support/graphs';
import { openSession, type Session } from './support/session';
import { nobody } from './support/strangers';
import { until } from './support/until';
import { chain, comfy } from './support/workflows';

const HOSTED_PARTNER = 'canary-partner-of-hosted-5d1f';
const SELF_HOSTED_PARTNER = 'canary-partner-of-self-hosted-77a0';
const WRONG_KEY = 'canary-wrong-key-19c4';
const WRONG_TOKEN = 'canary-wrong-token-e802';

let session: Session;
/** What n8n has told: items, errors and messages of every execution, and answers of credential tests. */
const told: string[] = [];
let canaries: string[];

beforeAll(async () => {
	session = await openSession();
	const { apiKey, bearer } = session.sandbox.keys;
	canaries = [apiKey, bearer, HOSTED_PARTNER, SELF_HOSTED_PARTNER, WRONG_KEY, WRONG_TOKEN];
});
afterAll(() => session.close());

/** The sandbox's credentials, their secret fields all canaries. */
const withCanaries = (changes: CredentialDocument['data'] = {}): CredentialDocument[] => {
	const partners: Record<string, string> = { comfyApi: HOSTED_PARTNER, comfySelfHostedApi: SELF_HOSTED_PARTNER };
	return sandboxCredentials(session.sandbox).map((document) => ({
		...document,
		data: { ...document.data, partnerApiKey: partners[document.type] ?? '', ...changes },
	}));
};

async function runWith(documents: CredentialDocument[], authentication: string, graph: object, stopWhenRunning = false): Promise<string> {
	const credentials = await importCredentials(session.rest, documents);
	const runs = session.sandbox.ledger.runs.length;
	const onThis = (node: WorkflowNode): WorkflowNode => ({
		...node,
		parameters: { ...node.parameters, authentication },
		credentials: { [authentication]: { id: null, name: '' } },
	});
	const submit = onThis(
		comfy('comfySubmitWorkflow', { workflow: JSON.stringify(graph), options: { sendPartnerKey: true, keepTryingForSeconds: 0 } }),
	);
	const id = await session.start(
		chain(
			`canary ${authentication}`,
			submit,
			onThis(comfy('comfyWaitForJob', {})),
			onThis(comfy('comfyGetWorkflow', {})),
			onThis(comfy('comfyDownloadOutputs', {})),
		),
		undefined,
		credentials,
	);
	if (stopWhenRunning) {
		const { jobId } = await until('the job', () => session.sandbox.ledger.runs[runs]);
		await until('the job to run', () => session.sandbox.job(jobId)?.status === 'running' || undefined);
		await session.rest.stop(id);
	}
	const execution = await session.rest.waitFor(id);
	told.push(JSON.stringify(execution));
	for (const [index, document] of documents.entries()) {
		const saved = credentials[index];
		if (saved) told.push(JSON.stringify(await session.rest.testCredential({ ...saved, data: document.data })));
	}
	return execution.status;
}

test('keys show up in no log, execution, item, message or file of n8n', async () => {
	for (const type of ['comfyApi', 'comfySelfHostedApi']) {
		expect(await runWith(withCanaries(), type, quick)).toBe('success');
		expect(await runWith(withCanaries(), type, failing)).toBe('error');
		expect(await runWith(withCanaries(), type, endless, true)).toBe('canceled');
		expect(await runWith(withCanaries({ apiKey: WRONG_KEY, token: WRONG_TOKEN }), type, quick)).toBe('error');
		expect(await runWith(withCanaries({ baseUrl: await nobody(), engineUrl: await nobody() }), type, quick)).toBe('error');
	}

	const { sandbox } = session;
	const sent = JSON.stringify(sandbox.requests().map(({ headers }) => headers.authorization));
	for (const canary of [sandbox.keys.apiKey, sandbox.keys.bearer, WRONG_KEY, WRONG_TOKEN]) expect(sent).toContain(canary);
	expect(sandbox.ledger.partnerKeys.length).toBeGreaterThanOrEqual(6);

	await expectNowhere(canaries, told);
});
