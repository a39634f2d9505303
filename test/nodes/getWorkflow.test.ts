import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { FaultRule, Sandbox } from '../../sandbox';
import { leapWhen } from './support/clock';
import { bytesOf, runNode } from './support/engine';
import { CONTINUE, workflowRun } from './support/files';
import { credentialFor, surfaces } from './support/flavours';
import { colorGraph } from './support/graphs';
import { finished, jsons, submitRun, submitted } from './support/submit';
import { sharedSandbox } from './support/sandbox';

const sandbox = sharedSandbox();

const ROUTE = 'GET /api/v2/jobs/:id/workflow';
const hosted = () => credentialFor(sandbox);
const getWorkflow = async (jobId: string, parameters: IDataObject = {}) => await runNode(workflowRun(hosted(), [jobId], parameters));

describe('the workflow', () => {
	it.each(surfaces)('of a job that was submitted comes back as it was sent, in format api (%s)', async (surface) => {
		const credential = credentialFor(sandbox, surface);
		const jobId = await finished(sandbox, colorGraph(1), credential);
		const result = await runNode(workflowRun(credential, [jobId]));
		expect(result.status).toBe('success');
		expect(jsons(result)).toEqual([
			{ job_id: jobId, interface: 'v2', status: 'succeeded', service_status: 'succeeded', format: 'api', workflow: colorGraph(1) },
		]);
		expect(result.outputs[0]?.[0]).not.toHaveProperty('binary.data');
		expect(result.outputs[0]?.[0]?.pairedItem).toEqual({ item: 0 });
	});

	it('of a job pinned to a saved version is that version, in format save', async () => {
		const [item] = jsons(await getWorkflow(sandbox.seeds.pinnedJob));
		expect(item).toMatchObject({ job_id: sandbox.seeds.pinnedJob, status: 'succeeded', format: 'save' });
		expect(item?.workflow).toMatchObject({ last_node_id: 3, nodes: [{ type: 'EmptyImage' }, { type: 'SaveImage' }, { type: 'Note' }] });
	});

	it('of a job whose saved version has been deleted is the executed graph, in format api', async () => {
		const [item] = jsons(await getWorkflow(sandbox.seeds.deletedVersionJob));
		expect(item).toMatchObject({ format: 'api', workflow: { '1': { class_type: 'EmptyImage' }, '2': { class_type: 'SaveImage' } } });
	});

	it('can be had while the job still waits', async () => {
		sandbox.configure({ workers: 0 });
		const jobId = await submitted(sandbox, colorGraph(2));
		expect(jsons(await getWorkflow(jobId))).toMatchObject([{ status: 'queued', format: 'api', workflow: colorGraph(2) }]);
		sandbox.configure({ workers: 4 });
	});

	it('keeps a format that is new to us, and fields beside it', async () => {
		sandbox.inject({ on: ROUTE, answer: { status: 200, json: { workflow: { a: 1 }, format: 'compact', version: 7 } } });
		const [item] = jsons(await getWorkflow(sandbox.seeds.pinnedJob));
		expect(item).toMatchObject({ format: 'compact', version: 7, workflow: { a: 1 } });
	});

	it('never brings extra data with it', async () => {
		const { outputs } = await runNode(submitRun(hosted(), colorGraph(3), { parameters: { options: { sendPartnerKey: true } } }));
		const result = await getWorkflow(String(outputs[0]?.[0]?.json.job_id));
		expect(result.status).toBe('success');
		expect(sandbox.ledger.partnerKeys).toHaveLength(1);
		expect(result.stored).not.toMatch(/extra_data|api_key_comfy_org/);
		expect(result.stored).not.toContain(sandbox.keys.partnerKey);
	});
});

describe('as a file', () => {
	it.each([
		['api', () => sandbox.seeds.deletedVersionJob],
		['save', () => sandbox.seeds.pinnedJob],
	])('is named after job and format, and holds the same workflow (%s)', async (format, jobId) => {
		const [inJson] = jsons(await getWorkflow(jobId()));
		const { outputs } = await getWorkflow(jobId(), { outputAs: 'file' });
		const [item] = outputs[0] ?? [];
		const name = `${jobId()}.${format}.json`;
		expect(item?.json).toEqual({
			job_id: jobId(),
			interface: 'v2',
			status: 'succeeded',
			service_status: 'succeeded',
			format,
			file_name: name,
		});
		expect(item?.binary?.data).toMatchObject({ fileName: name, mimeType: 'application/json', fileExtension: 'json' });
		expect(JSON.parse(String(await bytesOf(item)))).toEqual(inJson?.workflow);
	});

	it('keeps letters outside ASCII, and goes into the field of that name', async () => {
		const workflow = {
			'1': { class_type: 'PrimitiveString', inputs: { value: 'ein süßer 狐 🦊' } },
			'2': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } },
		};
		const jobId = await submitted(sandbox, workflow);
		const { outputs } = await getWorkflow(jobId, { outputAs: 'file', binaryPropertyName: 'graph' });
		expect(Object.keys(outputs[0]?.[0]?.binary ?? {})).toEqual(['graph']);
		expect(JSON.parse(String(await bytesOf(outputs[0]?.[0], 'graph')))).toEqual(workflow);
	});
});

describe('a job that cannot be read', () => {
	it.each([
		['unknown', 'specification', () => randomUUID()],
		['unknown', 'service', () => randomUUID()],
		['past its retention', 'specification', () => sandbox.seeds.expiredJob],
		['past its retention', 'service', () => sandbox.seeds.expiredJob],
		['another account’s', 'specification', () => sandbox.seeds.foreignJob],
		['another account’s', 'service', () => sandbox.seeds.foreignJob],
	] as const)('%s (code of the %s): says what may be the cause', async (_, notFoundCodes, jobId) => {
		sandbox.configure({ notFoundCodes });
		const { status, error } = await getWorkflow(jobId());
		expect(status).toBe('error');
		expect(error?.message).toMatch(notFoundCodes === 'service' ? /knows no such job/ : /knows no such/);
		expect(error?.description).toMatch(/another account or server.*retention time/s);
		expect(error?.httpCode).toBe('404');
		expect(error?.context).toMatchObject({ itemIndex: 0, data: { job_id: expect.any(String), http_status: 404 } });
	});

	it.each([...surfaces, 'engine', 'bare_engine'] as const)('on %s an unknown id is a clear 404', async (surface) => {
		const { error } = await runNode(workflowRun(credentialFor(sandbox, surface), [randomUUID()]));
		expect(error?.httpCode).toBe('404');
	});

	it('because the key is wrong: names the field', async () => {
		const { error } = await runNode(workflowRun(credentialFor(sandbox, 'hosted', { apiKey: 'wrong' }), [sandbox.seeds.pinnedJob]));
		expect(error?.message).toBe('The service did not accept the API Key');
		expect(error?.httpCode).toBe('401');
	});

	it('because the id is empty: names the field, and sends nothing', async () => {
		const before = sandbox.requests().length;
		const { error } = await getWorkflow('');
		expect(error?.message).toBe('Job ID is empty');
		expect(sandbox.requests()).toHaveLength(before);
	});
});

describe('an answer that is no workflow', () => {
	type Answer = FaultRule['answer'];
	const always = (answer: Answer) => sandbox.inject({ on: ROUTE, times: Infinity, answer });

	it.each<[string, Answer, RegExp, RegExp]>([
		['forbidden', { status: 403, code: 'forbidden' }, /does not allow this action/, /Comfy API credential/],
		['HTML', { status: 200, html: true }, /sent a web page \(HTTP 200\)/, /proxy or a login page/],
		['HTML with 404', { status: 404, html: true }, /sent a web page \(HTTP 404\)/, /Base URL/],
		['other JSON', { status: 200, json: { hello: 'world' } }, /an answer this service does not give/, /Base URL/],
		['not implemented', { status: 501, code: 'not_implemented' }, /does not offer this function/, /Update the server/],
	])('%s is said at once', async (_, answer, message, advice) => {
		const fault = always(answer);
		const { status, error } = await getWorkflow(sandbox.seeds.pinnedJob);
		expect(status).toBe('error');
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(advice);
		expect(fault.used).toBe(1);
	});

	it.each<[string, Answer, RegExp, RegExp]>([
		['upstream_error', { status: 500, code: 'upstream_error' }, /The service could not do this/, /Try again later/],
		['HTML with 502', { status: 502, html: true }, /sent a web page \(HTTP 502\)/, /Base URL/],
		['half an answer', { status: 200, badJson: true }, /sent half an answer/, /ended early/],
		['rate_limited', { status: 429, code: 'rate_limited', retryAfter: 1 }, /too many requests/, /Lower Concurrency/],
	])('%s is said once the time for retries is over', async (_, answer, message, advice) => {
		const fault = always(answer);
		leapWhen(() => fault.used === 2);
		const { status, error } = await getWorkflow(sandbox.seeds.pinnedJob);
		expect(status).toBe('error');
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(advice);
		expect(fault.used).toBe(2);
	});

	it.each([
		['a known', () => sandbox.seeds.pinnedJob, 'success'],
		['an unknown', () => randomUUID(), 'error'],
	])('rate_limited for %s id is waited for', async (_, jobId, expected) => {
		const fault = sandbox.inject({ on: ROUTE, answer: { status: 429, code: 'rate_limited', retryAfter: 1 } });
		const { status, error } = await getWorkflow(jobId());
		expect(fault.used).toBe(1);
		expect(status).toBe(expected);
		if (expected === 'error') expect(error?.httpCode).toBe('404');
	});

	it.each([{ kind: 'truncate', afterBytes: 20 }, { kind: 'drop_after' }] as const)('$kind once is read again', async (fault) => {
		const { used } = { used: sandbox.inject({ on: ROUTE, fault }) };
		expect((await getWorkflow(sandbox.seeds.pinnedJob)).status).toBe('success');
		expect(used.used).toBe(1);
	});
});

describe('several items', () => {
	it('come in input order; Continue On Fail keeps the failed one in its place', async () => {
		const jobIds = [sandbox.seeds.pinnedJob, 'no-such-job', sandbox.seeds.deletedVersionJob];
		const result = await runNode(workflowRun(hosted(), jobIds, {}, CONTINUE));
		expect(jsons(result).map(({ job_id }) => job_id)).toEqual(jobIds);
		expect(jsons(result).map((item) => 'error' in item)).toEqual([false, true, false]);
		expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
	});

	it('of which the second fails: the failure carries its index', async () => {
		const { error } = await runNode(workflowRun(hosted(), [sandbox.seeds.pinnedJob, 'no-such-job']));
		expect(error?.context.itemIndex).toBe(1);
	});
});

it.each([404, 405])('a server from before workflows could be fetched (a bare %i) is told from a wrong address', async (status) => {
	const jobId = await finished(sandbox, colorGraph(90 + status), hosted());
	sandbox.inject({ on: ROUTE, answer: { status, body: `${status}: no such route`, headers: { 'content-type': 'text/plain' } } });
	const { error } = await getWorkflow(jobId);
	expect(error?.message).toMatch(/does not offer this function/);
	expect(error?.description).toMatch(/Update the server/);
});
