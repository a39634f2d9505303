import { importCredentials, type CredentialDocument, type SavedCredential, type WorkflowNode } from '../../scripts/n8nHost';
import { sandboxCredentials } from '../../scripts/sandboxCredentials';
import { expectNowhere } from './support/canaries';
import { edited, formRun, jsonRun, ONE_ATTEMPT, type RouterWay, routerWays, RUNS } from './support/router';
import { openSession, type Session } from './support/session';
import { nobody } from './support/strangers';
import { chain } from './support/workflows';

const WRONG_KEY = 'canary-wrong-key-of-the-router-41ab';
const WRONG_TOKEN = 'canary-wrong-token-of-the-router-c2e7';

let session: Session;
/** What n8n has told: items, errors and messages of executions, lists, forms, and answers of credential tests. */
const told: string[] = [];

beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

async function savedWith(changes: CredentialDocument['data'] = {}): Promise<SavedCredential[]> {
	const documents = sandboxCredentials(session.sandbox).map((document) => ({ ...document, data: { ...document.data, ...changes } }));
	const saved = await importCredentials(session.rest, documents);
	for (const [index, credential] of saved.entries()) {
		const { data = {} } = documents[index] ?? {};
		told.push(JSON.stringify(await session.rest.testCredential({ ...credential, data })));
	}
	return saved;
}

const PICTURE = { prompt: 'a lighthouse' };

async function run(way: RouterWay, credentials: SavedCredential[], node: WorkflowNode): Promise<string> {
	const execution = await session.rest.waitFor(await session.start(chain(`canary of the router, ${way}`, node), undefined, credentials));
	told.push(JSON.stringify(execution));
	return execution.status;
}

async function look(way: RouterWay, credentials: SavedCredential[]): Promise<void> {
	const list = session.rest.listResults(edited({ ...session, credentials }, 'model', '', way));
	told.push(await list.then((page) => JSON.stringify(page), String));
	told.push(JSON.stringify(await session.rest.mapperFields(edited({ ...session, credentials }, 'form', 'aurora/image-2', way))));
}

test('the API key and the JWT show up nowhere after runs, lists, forms and failures of the router', async () => {
	const { sandbox } = session;
	const good = await savedWith();
	const wrong = await savedWith({ apiKey: WRONG_KEY, token: WRONG_TOKEN });
	const away = await savedWith({ routerUrl: await nobody() });
	for (const way of routerWays) {
		const options = { downloadResultFiles: true };
		expect(await run(way, good, formRun('aurora/image-2', PICTURE, { options }, { way }))).toBe('success');
		expect(await run(way, good, formRun('lab/free', PICTURE, { delivery: 'queued' }, { way }))).toBe('success');
		expect(await run(way, good, jsonRun('lab/failing', {}, ONE_ATTEMPT, { way }))).toBe('error');
		sandbox.inject({ on: RUNS, fault: { kind: 'drop_after' } });
		expect(await run(way, good, jsonRun('lab/free', PICTURE, ONE_ATTEMPT, { way }))).toBe('error');
		for (const credentials of [wrong, away])
			expect(await run(way, credentials, jsonRun('lab/free', PICTURE, ONE_ATTEMPT, { way }))).toBe('error');
		for (const credentials of [good, wrong]) await look(way, credentials);
	}
	await look('comfyRouterJwtApi', away);

	const sent = JSON.stringify(sandbox.requests(undefined, 'router').map(({ headers }) => headers));
	const { apiKey, jwt } = sandbox.keys;
	for (const canary of [apiKey, jwt, WRONG_KEY, WRONG_TOKEN]) expect(sent).toContain(canary);
	await expectNowhere([apiKey, jwt, WRONG_KEY, WRONG_TOKEN], told);
});
