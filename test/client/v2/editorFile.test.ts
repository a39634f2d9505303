import { connect } from '../../../client';
import { type Sandbox, type ServiceSurface, startSandbox } from '../../../sandbox';
import { failureOf } from '../support/bytes';
import { newGraph } from '../support/graphs';
import { accessTo } from '../support/sandbox';

const SUBMIT = 'POST /api/v2/jobs';

/** Each test has a new one: which service rejected the file is remembered for the process, by address. */
let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox();
});
const open: Array<() => Promise<void>> = [];
afterEach(async () => {
	await Promise.all(open.splice(0).map(async (close) => await close()));
	await sandbox.close();
});

function jobsOf(surface: ServiceSurface) {
	const connection = connect({ interface: 'v2', ...accessTo(sandbox, surface) });
	open.push(connection.close);
	return connection.jobs;
}

const toEditorFile = () => ({ nodes: [] });
/** Of each request: the file, and the status of the answer. */
const sent = () =>
	sandbox.requests(SUBMIT).map(({ bodyText, status }) => {
		const { extra_data: extraData } = JSON.parse(bodyText) as { extra_data?: { extra_pnginfo?: unknown } };
		return [extraData?.extra_pnginfo, status];
	});
const FILE = { workflow: { nodes: [] } };

test.each([
	['self_hosted', 400],
	['deployment', 422],
] as const)('%s rejects the file once, and each of two jobs is created once without it', async (surface, status) => {
	const jobs = jobsOf(surface);
	for (const key of ['a', 'b']) await jobs.submit({ graph: newGraph(), toEditorFile }, { idempotencyKey: `${surface}-${key}` });
	expect(sent()).toEqual([
		[FILE, status],
		[undefined, 201],
		[undefined, 201],
	]);
	// A new connection to the same service remembers it.
	await jobsOf(surface).submit({ graph: newGraph(), toEditorFile });
	expect(sent()).toHaveLength(4);
	expect(sandbox.ledger.runs).toHaveLength(3);
});

test('a service that accepts the file gets it with each of two jobs, and with each attempt of a job', async () => {
	sandbox.configure({ editorFiles: 'accepted', replaysKeys: true });
	sandbox.inject({ on: SUBMIT, times: 1, answer: { status: 503 } });
	const jobs = jobsOf('self_hosted');
	const first = await jobs.submit({ graph: newGraph(), toEditorFile }, { idempotencyKey: 'first', keyIsOurs: true });
	const second = await jobs.submit({ graph: newGraph(), toEditorFile }, { idempotencyKey: 'second', keyIsOurs: true });
	expect(first.job_id).not.toBe(second.job_id);
	expect(sent()).toEqual([
		[FILE, 503],
		[FILE, 201],
		[FILE, 201],
	]);
});

test('a workflow that the service rejects is reported, and the next job has the file again', async () => {
	sandbox.configure({ editorFiles: 'accepted' });
	const jobs = jobsOf('self_hosted');
	sandbox.inject({ on: SUBMIT, times: 2, answer: { status: 400, code: 'invalid_request' } });
	expect(await failureOf(jobs.submit({ graph: newGraph(), toEditorFile }))).toMatchObject({ status: 400, code: 'invalid_request' });
	await jobs.submit({ graph: newGraph(), toEditorFile });
	expect(sent()).toEqual([
		[FILE, 400],
		[undefined, 400],
		[FILE, 201],
	]);
});
