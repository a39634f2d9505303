/**
 * The sandbox's engine answers and sends what a real one did, and whatever it answers has the shape that contract/engine.yaml
 * and contract/library.yaml give it.
 */
import { type Sandbox, startSandbox } from '../../../sandbox';
import { type Answered, checkedCall, OpenApi, type RequestOptions } from '../openApi';
import { picture, slowPicture } from '../graphs';
import { Requests } from '../operations/requests';
import { Listener } from '../v1/listener';
import { ask, type Recorded, recorded, recordedEntry, recordedFrames } from './recorded';
import { recordedIndexFields, recordedLibrary, recordedManyUsers } from './recordedLibrary';

const described = ['engine.yaml', 'library.yaml'].map((file) => ({ answers: new OpenApi(file), requests: new Requests(file) }));
const [engine, library] = described.map(({ answers }) => answers) as [OpenApi, OpenApi];
/** Operation → statuses that were answered. */
const seen = new Map<string, Set<number>>();
let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ progressIntervalMs: 5, engineJobRoutes: false, engineUserdataTimes: 'seconds' });
});
afterAll(async () => await sandbox.close());

const note = (id: string, status: number) => void seen.set(id, (seen.get(id) ?? new Set()).add(status));
const title = ({ on, name }: Recorded): string => (name === undefined ? on : `${on}: ${name}`);
const operationOf = ({ on }: Recorded) => {
	const [method = '', path = ''] = on.split('?')[0]?.split(' ') ?? [];
	const request = { method, path, query: '', headers: {}, bodyBytes: 0, bodyText: '' };
	const found = described.find(({ requests }) => requests.operationOf(request) !== undefined);
	return found && { answers: found.answers, id: found.requests.operationOf(request) ?? '' };
};

const rows = [...recorded, ...recordedLibrary, ...recordedManyUsers];

test('nearly all recorded answers are of an operation that is described', () => {
	expect(rows.filter((row) => operationOf(row) !== undefined).length).toBeGreaterThan(60);
});

test.each(rows.map((row) => [title(row), row] as const))('answers as recorded, and as described: %s', async (_, row) => {
	sandbox.configure({ engineUsers: recordedManyUsers.includes(row) ? { ann_1: 'Ann' } : null });
	const { answer, ...came } = await ask(sandbox.urls.engine, row);
	expect(answer).toEqual(row.answer);
	const operation = operationOf(row);
	// A route that is not there is of no operation.
	if (operation === undefined) return;
	note(operation.id, came.status);
	expect(operation.answers.problemsOf(operation.id, came)).toEqual([]);
});

test('the frames and the history of one run are as recorded', async () => {
	const other = await startSandbox({ progressIntervalMs: 5 });
	const { engine } = other.urls;
	const listener = await Listener.open(`${engine}/ws?clientId=listener`);
	const prompt = {
		1: { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 3 } },
		2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'probe/x' } },
	};
	const { prompt_id } = (await (
		await fetch(`${engine}/prompt`, { method: 'POST', body: JSON.stringify({ prompt, client_id: 'listener' }) })
	).json()) as { prompt_id: string };
	await listener.ended(prompt_id);
	const history = (await (await fetch(`${engine}/history/${prompt_id}`)).json()) as Record<string, unknown>;
	await listener.close();
	await other.close();

	// The engine says twice that the queue has one prompt, the second time in a thread of its own: before its start or after it.
	const isSecond = ({ type, data }: { type: string; data: unknown }, place: number) =>
		type === 'status' && JSON.stringify(data).includes(':1}') && place > 1;
	expect(listener.texts.filter((frame, place) => !isSecond(frame, place))).toEqual(recordedFrames);
	expect(history).toEqual({ [prompt_id]: recordedEntry(prompt) });
});

describe('files for the editor', () => {
	beforeAll(() => sandbox.configure({ engineUsers: null }));

	test.each([
		['seconds', 1e9, 1e11],
		['milliseconds', 1e12, 1e14],
	] as const)('times in %s', async (engineUserdataTimes, from, to) => {
		sandbox.configure({ engineUserdataTimes });
		sandbox.saveWorkflow('timed.json', {});
		const { answer } = await ask(sandbox.urls.engine, { on: 'GET /userdata?dir=workflows&full_info=true', answer: [200, null, ''] });
		const [listed] = answer[2] as Array<Record<string, number>>;
		for (const field of ['modified', 'created']) {
			expect(listed?.[field]).toBeGreaterThan(from);
			expect(listed?.[field]).toBeLessThan(to);
		}
	});

	test('the index of templates has the real fields', async () => {
		const { answer } = await ask(sandbox.urls.engine, { on: 'GET /templates/index.json', answer: [200, null, ''] });
		const [status, contentType, index] = answer as [number, string, Array<{ templates: object[] }>];
		expect([status, contentType]).toEqual([200, recordedIndexFields.contentType]);
		for (const group of index) {
			expect(Object.keys(group)).toEqual(recordedIndexFields.group);
			for (const template of group.templates) expect(Object.keys(template)).toEqual(recordedIndexFields.template);
		}
	});
	afterAll(() => sandbox.configure({ engineUserdataTimes: 'seconds' }));
});

test.each([...engine.operations.values()].map((operation) => [operation.id, operation] as const))(
	'answers %s under the roots of the contract only',
	async (_, { id, method, path, roots }) => {
		sandbox.configure({ engineJobRoutes: true, engineUsers: null });
		const statusUnder = async (root: string) => {
			const address = `${sandbox.urls.engine}${root}${path.replaceAll(/\{\w+\}/g, 'none')}`;
			const answer = await fetch(address, { method, ...(method === 'POST' && { body: '{}' }) });
			return [answer.status, answer.headers.get('content-type'), await answer.text()];
		};
		const noRoute = await statusUnder('/nowhere');
		const answers = await Promise.all(['/api', '/internal', ''].map(async (root) => [root, await statusUnder(root)] as const));
		const served = answers.filter(([, answer]) => JSON.stringify(answer) !== JSON.stringify(noRoute)).map(([root]) => root);
		expect([id, served]).toEqual([id, roots]);
	},
);

describe('what was not recorded', () => {
	const call = async (id: string, options: RequestOptions = {}): Promise<Answered> => {
		const answered = await checkedCall(engine, id, `${sandbox.urls.engine}/api`, options);
		note(id, answered.status);
		return answered;
	};
	const keep = async (id: string, base: string, options: RequestOptions = {}) =>
		note(id, (await checkedCall(library, id, base, options)).status);
	beforeAll(() => sandbox.configure({ engineJobRoutes: true, engineUsers: null }));

	test('a prompt has the documented answers, frames and files from the queue to the history', async () => {
		const listener = await Listener.open(`${sandbox.urls.engine}/ws?clientId=mine`);
		const { json } = await call('submitPrompt', { json: { prompt: slowPicture(20), client_id: 'mine' } });
		const name = String(json.prompt_id);
		note('openSocket', 101);
		await call('getQueue');
		await call('getJob', { name });
		await listener.ended(name);
		await listener.close();
		expect(listener.problems).toEqual([]);
		await call('getQueue');
		await call('getHistory', { name });
		await call('listHistory', { query: 'max_items=5' });
		await call('listJobs', { query: 'limit=1&offset=0' });
		const { outputs } = (await call('getJob', { name })).json as { outputs: Record<string, { images: Array<Record<string, string>> }> };
		const query = new URLSearchParams(outputs.save?.images[0]).toString();
		expect((await call('viewFile', { query })).status).toBe(200);
		expect((await call('viewFile', { query, headers: { range: 'bytes=0-3' } })).status).toBe(206);
		expect((await call('openSocket')).status).toBe(400);
	});

	test('canceled and unknown jobs have the documented answers', async () => {
		const { json } = await call('submitPrompt', { json: { prompt: picture() } });
		await call('cancelJob', { name: String(json.prompt_id) });
		expect((await call('getJob', { name: 'unknown' })).status).toBe(404);
		expect((await call('listJobs', { query: 'limit=none' })).status).toBe(400);
	});

	test('the system routes have the documented answers', async () => {
		for (const id of ['getNodeDefinitions', 'getSystem', 'getFeatures', 'listModelFolders', 'listEmbeddings']) await call(id);
		await call('getNodeDefinition', { name: 'SaveImage' });
		await call('listModels', { name: 'checkpoints' });
		await call('listModelFiles', { name: 'checkpoints' });
	});

	test('workflows and templates of an engine and of an account have the documented answers', async () => {
		sandbox.saveWorkflow('kept.json', {});
		sandbox.saveWorkflow('kept.json', {}, { surface: 'hosted' });
		const headers = { 'x-api-key': sandbox.keys.apiKey };
		for (const base of [sandbox.urls.engine, sandbox.urls.hosted]) {
			await keep('listUserFiles', base, { headers, query: 'dir=workflows&recurse=true&full_info=true' });
			await keep('readUserFile', base, { headers, name: 'workflows/kept.json' });
			await keep('readUserFile', base, { headers, name: 'workflows/none.json' });
			await keep('getTemplateIndex', base, { headers });
			await keep('getTemplate', base, { headers, name: 'sandbox_red.json' });
			await keep('listPackTemplates', base, { headers });
			await keep('getPackTemplate', base, { headers, name: ['sandbox-colours', 'Green & Co.json'] });
		}
	});
});

test('every documented success occurs', () => {
	for (const { answers } of described) {
		for (const { id, statuses } of answers.operations.values()) {
			expect([id, [...(seen.get(id) ?? [])]]).toEqual([id, expect.arrayContaining(statuses.filter((status) => status < 400))]);
		}
	}
});
