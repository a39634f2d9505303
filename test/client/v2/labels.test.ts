import { connect } from '../../../client';
import { setClock } from '../../../client/async/clock';
import type { MadeBy } from '../../../client/ports/job';
import { startSandbox, type Sandbox, type ServiceSurface } from '../../../sandbox';
import { patientClock } from '../../support/patientClock';
import { failureOf } from '../support/bytes';
import { newGraph } from '../support/graphs';
import { accessTo } from '../support/sandbox';
import { json, serve } from '../support/server';

const SUBMIT = 'POST /api/v2/jobs';
const LIST = 'GET /api/v2/jobs';
const madeBy: MadeBy = { workflow_id: 'flow-1', workflow_name: 'Shop', execution_id: '4711', node: 'Submit', item: 2 };

/** Each has a new one: where labels were refused is remembered for the process, by address. */
let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox();
});
const open: Array<() => Promise<void>> = [];
afterEach(async () => {
	setClock(patientClock);
	await Promise.all(open.splice(0).map(async (close) => await close()));
	await sandbox.close();
});

/** As credentials lead to it: with the address of the hosted account beside it, except to servers of one's own. */
function jobsOf(
	surface: ServiceSurface,
	settings: { hostedUrl?: string } = surface.startsWith('self') ? {} : { hostedUrl: sandbox.urls.hosted },
) {
	const connection = connect({ interface: 'v2', ...accessTo(sandbox, surface), ...settings });
	open.push(connection.close);
	return connection.jobs;
}

const newKey = (): string => crypto.randomUUID();
const sent = () =>
	sandbox.requests(SUBMIT).map(({ bodyText, status }) => [(JSON.parse(bodyText) as { metadata?: unknown }).metadata !== undefined, status]);

test('the hosted account gets no labels, because it refuses them', async () => {
	const jobs = jobsOf('hosted');
	await jobs.submit({ graph: newGraph(), madeBy });
	expect(sent()).toEqual([[false, 201]]);
	await expect(jobs.list({ madeInWorkflow: 'flow-1' })).rejects.toMatchObject({ code: 'made_by_not_kept' });
	expect(sandbox.requests(LIST)).toHaveLength(0);
});

test.each(['deployment', 'self_hosted'] as const)('%s gets the labels of each of two items', async (surface) => {
	const jobs = jobsOf(surface);
	for (const item of [2, 3]) await jobs.submit({ graph: newGraph(), madeBy: { ...madeBy, item } });
	const metadata = sandbox.requests(SUBMIT).map(({ bodyText }) => (JSON.parse(bodyText) as { metadata: unknown }).metadata);
	const labels = metadata.map((one) => (typeof one === 'string' ? (JSON.parse(one) as unknown) : one));
	expect(labels).toMatchObject([{ n8n_item: '2' }, { n8n_item: '3' }]);
	expect(metadata.map((one) => typeof one)).toEqual(Array(2).fill(surface === 'deployment' ? 'object' : 'string'));
});

describe('a refusal of labels fails no job', () => {
	test.each([
		['a deployment that keeps none', 'deployment', undefined],
		['a proxy that is taken for a deployment', 'self_hosted', 'https://elsewhere.example'],
		['an account that is taken for a proxy', 'hosted', undefined],
	] as const)('a submission to %s is repeated once without labels, under the same key', async (name, surface, hostedUrl) => {
		if (surface === 'deployment') sandbox.configure({ labels: 'refused' });
		const settings = surface === 'deployment' ? { hostedUrl: sandbox.urls.hosted } : { hostedUrl };
		const key = newKey();
		await jobsOf(surface, settings).submit({ graph: newGraph(), madeBy }, { idempotencyKey: key });
		expect(sandbox.requests(SUBMIT).map(({ headers }) => headers['idempotency-key'])).toEqual([key, key]);
		await jobsOf(surface, settings).submit({ graph: newGraph(), madeBy }, { idempotencyKey: newKey() });
		expect(sent()).toEqual([
			[true, 422],
			[false, 201],
			[false, 201],
		]);
		expect(sandbox.ledger.runs).toHaveLength(2);
		await expect(jobsOf(surface, settings).list({ madeInWorkflow: 'flow-1' })).rejects.toMatchObject({ code: 'made_by_not_kept' });
	});

	test.each([
		['metadata_not_supported', 422],
		['metadata_invalid', 422],
		['invalid_request', 400],
		['invalid_body', 422],
		[undefined, 422],
	])('a rejection of labels as %s (HTTP %s) is repeated without them', async (code, status) => {
		sandbox.inject({ on: SUBMIT, answer: code === undefined ? { status, json: { detail: 'metadata' } } : { status, code } });
		await jobsOf('deployment').submit({ graph: newGraph(), madeBy });
		expect(sent()).toEqual([
			[true, status],
			[false, 201],
		]);
	});

	test.each<[what: string, codes: string[], labelled: boolean[]]>([
		['labels are sent again when the rejection meant something else', ['invalid_request', 'invalid_request'], [true, false, true]],
		['no labels are sent again after the service named them', ['metadata_not_supported', 'insufficient_credits'], [true, false, false]],
		['a rejection of the workflow is final', ['invalid_workflow'], [true, true]],
		['a rejection for missing credits is final', ['insufficient_credits'], [true, true]],
	])('%s, and the submission fails with the last rejection', async (_what, codes, labelled) => {
		const statuses: Record<string, number> = { invalid_request: 400, insufficient_credits: 402 };
		for (const code of codes) sandbox.inject({ on: SUBMIT, answer: { status: statuses[code] ?? 422, code } });
		const jobs = jobsOf('deployment');
		expect(await failureOf(jobs.submit({ graph: newGraph(), madeBy }))).toMatchObject({ code: codes.at(-1) });
		await jobs.submit({ graph: newGraph(), madeBy });
		expect(sent().map(([isLabelled]) => isLabelled)).toEqual(labelled);
	});

	test('another service of the same origin still gets labels, and the rejecting one gets them again after an hour', async () => {
		const rejecting = '/one';
		const server = await serve(async (request, response) => {
			const isRejected = request.url.startsWith(rejecting) && request.body.includes('metadata');
			const answer = isRejected
				? json(422, { error: { code: 'metadata_invalid', message: 'no' } })
				: json(201, { id: 'a', status: 'queued' });
			await answer(request, response);
		});
		for (const hours of [0, 0.9, 1]) {
			setClock({ ...patientClock, now: () => patientClock.now() + hours * 3_600_000 });
			for (const prefix of [rejecting, '/two']) {
				const { jobs, close } = connect({ interface: 'v2', baseUrl: server.origin + prefix });
				await jobs.submit({ graph: newGraph(), madeBy });
				await close();
			}
		}
		expect(server.seen.map(({ url, body }) => [url.slice(0, 4), body.includes('metadata')])).toEqual([
			[rejecting, true],
			[rejecting, false],
			['/two', true],
			[rejecting, false],
			['/two', true],
			[rejecting, true],
			[rejecting, false],
			['/two', true],
		]);
		await server.close();
	});
});
