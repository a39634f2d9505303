import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../../client';
import { type NodeRun, runNode } from '../../support/engine';
import { CONTINUE, downloadRun, workflowRun } from '../../support/files';
import { credentialFor } from '../../support/flavours';
import { colorGraph, gatedGraph } from '../../support/graphs';
import { manageRun } from '../../support/manage';
import { sharedSandbox } from '../../support/sandbox';
import { finished, jsons, submitRun, submitted, waitRun } from '../../support/submit';

const sandbox = sharedSandbox();

/** A job that fails in a node with a title. */
const failing = (message: string, exception_type: string): ApiGraph => ({
	1: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 3 } },
	7: { class_type: 'SandboxFail', inputs: { image: ['1', 0], message, exception_type }, _meta: { title: 'Big Picture' } },
	9: { class_type: 'SaveImage', inputs: { images: ['7', 0], filename_prefix: 'never' } },
});

describe('a failed job', () => {
	it('is not run again by a retry of the execution, but by a new execution, and the message says so', async () => {
		const credential = credentialFor(sandbox);
		const submit = submitRun(credential, failing('too blue', 'ValueError'));
		const first = await runNode({ ...submit, executionId: 'one' });
		const jobId = first.outputs[0]?.[0]?.json.job_id;
		const { error } = await runNode(waitRun(credential, [String(jobId)]));
		expect(error?.description).toMatch(/A retry of this execution reads the same job\. To submit a new job, start a new execution\./);

		const retried = await runNode({ ...submit, executionId: 'two', contextData: first.contextData });
		expect(retried.outputs[0]?.[0]?.json).toMatchObject({ job_id: jobId, status: 'failed' });
		const again = await runNode({ ...submit, executionId: randomUUID() });
		expect(again.outputs[0]?.[0]?.json.job_id).not.toBe(jobId);
	});
});

const textOf = ({ error }: Awaited<ReturnType<typeof runNode>>): string => `${error?.message}\n${error?.description}`;

describe('a job that ComfyUI lost behind the API proxy', () => {
	it('is reported as lost by a restart, not as expired', async () => {
		const credential = credentialFor(sandbox, 'self_hosted');
		sandbox.configure({ gateOpen: false });
		const jobId = await submitted(sandbox, gatedGraph(), credential);
		sandbox.restartEngine();
		sandbox.configure({ gateOpen: true });
		for (const run of [waitRun, downloadRun]) {
			const text = textOf(await runNode(run(credential, [jobId])));
			expect(text).toMatch(/ComfyUI no longer has job .*: it was restarted, its history was cleared, or the job was removed/);
			expect(text).toContain('Submit the workflow again');
			expect(text).not.toMatch(/expired|no longer stores/);
		}
	});
});

describe('a failure that n8n must not show as canceled', () => {
	it.each(['hosted', 'deployment', 'v1', 'bare_engine'] as const)(
		'a job that is stopped from outside fails the execution (%s)',
		async (way) => {
			const at = credentialFor(sandbox, way);
			sandbox.configure({ gateOpen: false });
			const jobId = await submitted(sandbox, gatedGraph(Math.random()), at);
			const waiting = runNode(waitRun(at, [jobId]));
			await runNode(manageRun(at, 'job:cancel', { parameters: { jobId } }));
			sandbox.configure({ gateOpen: true });
			const result = await waiting;
			expect(result.status).toBe('error');
			expect(result.error?.message).toMatch(/was stopped before it finished|ComfyUI no longer has job/);
		},
	);

	it('no message in the list of all messages holds that word', () => {
		const messages = readFileSync('docs/development/messages.md', 'utf8')
			.split('\n')
			.filter((line) => line.startsWith('> '));
		expect(messages.length).toBeGreaterThan(300);
		expect(messages.filter((line) => line.includes('canceled'))).toEqual([]);
	});
});

const BY_ITEM = { jobId: '={{ $json.job_id }}' };
const FOLLOWING: Array<[string, (more: Partial<NodeRun>) => NodeRun]> = [
	['Wait', (more) => waitRun(credentialFor(sandbox), [], more)],
	['Download', (more) => downloadRun(credentialFor(sandbox), [], BY_ITEM, more)],
	['Get Workflow', (more) => workflowRun(credentialFor(sandbox), [], BY_ITEM, more)],
];

/** Returns the item of a rejected submission, as Continue On Fail passes it on. */
async function refused(): Promise<IDataObject> {
	const [item] = jsons(await runNode(submitRun(credentialFor(sandbox, 'hosted', { apiKey: 'wrong-key' }), colorGraph(1), CONTINUE)));
	expect(item).toMatchObject({ error: 'The server did not accept the API Key', error_facts: { code: 'unauthorized' } });
	return item as IDataObject;
}

it.each(FOLLOWING)(
	'%s passes on an item whose submission failed, with its own failure, and fails with it without Continue On Fail',
	async (_, run) => {
		const item = await refused();
		const passed = {
			...item,
			error_description: `${String(item.error_description)}\nThe cause is in an earlier node, which continued after this error.`,
		};
		expect(jsons(await runNode(run({ items: [{ json: item }], ...CONTINUE })))).toEqual([passed]);
		expect(jsons(await runNode(run({ items: [{ json: passed }], ...CONTINUE })))).toEqual([passed]);
		const { error } = await runNode(run({ items: [{ json: item }] }));
		expect(error?.message).toBe('The server did not accept the API Key');
		expect(error?.description).toMatch(/Check API Key[^]*\nThe cause is in an earlier node/);
	},
);

const ENTERED = '00000000-0000-4000-8000-000000000000';
let existing: string;
beforeAll(async () => void (existing = await finished(sandbox, colorGraph(12))));
const itemsOf = (ids: string[]) => ids.map((job_id) => ({ json: { job_id } }));
const ONE_BY_ONE = { options: { concurrency: 1 } };

const ofItem = { ...BY_ITEM, ...ONE_BY_ONE };
const readers: Array<[node: string, run: (ids: string[]) => NodeRun]> = [
	['Wait', (ids) => waitRun(credentialFor(sandbox), ids, { parameters: ONE_BY_ONE })],
	['Download', (ids) => downloadRun(credentialFor(sandbox), ids, ofItem)],
	['Get Workflow', (ids) => workflowRun(credentialFor(sandbox), ids, ofItem)],
	['Manage Jobs', (ids) => manageRun(credentialFor(sandbox), 'job:get', { items: itemsOf(ids), parameters: ofItem })],
];

it.each(readers)(
	'%s reports a job that it cannot read with its id and its item, and never counts it among the jobs that exist',
	async (_, run) => {
		for (const [status, code] of [
			[400, 'invalid_request'],
			[403, 'forbidden'],
		] as const) {
			sandbox.inject({ on: 'GET /api/v2/jobs/*', answer: { status, code } });
			const { error } = await runNode(run([ENTERED]));
			expect(error?.httpCode).toBe(String(status));
			expect(error?.description).not.toMatch(/Jobs that exist/);
		}
		for (const notFoundCodes of ['specification', 'service'] as const)
			for (const id of [ENTERED, sandbox.seeds.expiredJob, sandbox.seeds.foreignJob]) {
				sandbox.configure({ notFoundCodes });
				const { error } = await runNode(run([existing, id]));
				expect(error).toMatchObject({ message: expect.stringMatching(/has no (job|entry|asset) with this ID/) as string, httpCode: '404' });
				expect(error?.description).toMatch(/another account or server.*retention time/s);
				expect(error?.context).toMatchObject({ itemIndex: 1, data: { job_id: id, http_status: 404 } });
			}
	},
);
