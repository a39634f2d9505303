import assert from 'node:assert/strict';

import type { ApiGraph } from '../../../client';
import { DONE, failureOf, isPassing, unreadable } from '../outcomes';
import type { Call, Expectation, Fault } from '../shapes';
import { paidJobs } from './paid';
import { beforehand, endedJob, type Flavour, graphOf, through, v2Call } from './v2Connections';

/** Runs until somebody ends it, and costs nothing meanwhile. */
export const ENDLESS: ApiGraph = {
	'1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 1 } },
	'2': { class_type: 'SandboxGate', inputs: { image: ['1', 0] } },
	'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'never' } },
};

const callsOf = (flavour: Flavour): Call[] => [
	{
		...v2Call(`v2 get, ${flavour}`, 'json', 'GET /api/v2/jobs/*', flavour),
		run: async (door) => {
			const { job_id } = await endedJob(door, flavour);
			const job = await through(door, flavour, async ({ jobs }) => await jobs.get(job_id));
			assert.equal(job.job_id, job_id);
			assert.equal(job.status, 'succeeded');
		},
	},
	{
		...v2Call(`v2 submit, ${flavour}`, 'json', 'POST /api/v2/jobs', flavour),
		persists: 'submission',
		sandbox: {},
		run: async (door) => {
			const submission = { graph: graphOf(door) };
			const job = await through(
				door,
				flavour,
				async ({ jobs }) => await jobs.submit(submission, { idempotencyKey: door.mark, keyIsOurs: true }),
			);
			assert.equal(door.sandbox.job(job.job_id)?.idempotencyKey, door.mark);
		},
		billed: paidJobs,
	},
];

/** Its good answer is a 404: that a job which cannot exist is not found shows that the key is good. */
function ofCheck({ seen, family }: Fault): Expectation | undefined {
	if (typeof seen === 'object') {
		if (seen.status !== 404) return undefined;
		if (seen.page) return undefined;
		return {
			outcome: seen.code === undefined ? unreadable('unexpected', 404) : DONE,
			because: 'only the service itself says so in its own words',
		};
	}
	const reason = { cut: 'truncated', half: 'truncated', broken: 'unexpected', 'no json': 'unexpected', other: 'unexpected' }[String(seen)];
	if (reason === undefined) return undefined;
	return { outcome: unreadable(reason, family === 'body' ? 200 : 404), because: 'it is asked once, and its good answer is a 404' };
}

/** Where hosted and deployment do not differ. */
const ofEither: Call[] = [
	{
		...v2Call('v2 credential check', 'json', 'GET /api/v2/jobs/*'),
		persists: 'never',
		expects: ofCheck,
		run: async (door) => {
			const found = await through(door, 'hosted', async (connection) => await connection.verifyAccess());
			assert.equal(found.interface, 'v2');
		},
	},
	{
		...v2Call('v2 submit without a key', 'json', 'POST /api/v2/jobs', 'deployment'),
		repeatable: false,
		persists: 'submission',
		run: async (door) => {
			const job = await through(door, 'deployment', async ({ jobs }) => await jobs.submit({ graph: graphOf(door) }));
			assert.notEqual(door.sandbox.job(job.job_id), undefined);
		},
		billed: paidJobs,
		expects: ({ delivery, seen }) =>
			delivery === 'twice'
				? {
						outcome: seen === 'fine' ? 'done' : 'unknown outcome',
						because: 'what stands between makes two of one request, and nothing in it says that they are one',
						billed: 2,
					}
				: undefined,
	},
	{
		...v2Call('v2 look-up of a lost job', 'json', 'GET /api/v2/jobs', 'deployment'),
		sandbox: {},
		run: async (door) => {
			const submission = { graph: graphOf(door) };
			const options = { idempotencyKey: door.mark, earlierAnswerLost: true };
			const made = await beforehand(
				door,
				'deployment',
				async ({ jobs }) => await jobs.submit(submission, { idempotencyKey: door.mark, submissionId: 'lost' }),
			);
			const job = await through(
				door,
				'deployment',
				async ({ jobs }) => await jobs.submit(submission, { ...options, submissionId: 'lost' }),
			);
			assert.equal(job.job_id, made.job_id);
		},
		billed: paidJobs,
		expects: (fault, attempts) =>
			failureOf(fault.seen, { wire: 'json', on: 'GET ' } as Call) !== undefined && (attempts === 'every' || !isPassing(fault.seen))
				? { outcome: 'unknown outcome', because: 'there is a job, and the service does not tell which' }
				: undefined,
	},
	{
		...v2Call('v2 list', 'json', 'GET /api/v2/jobs', 'deployment'),
		run: async (door) => {
			await endedJob(door, 'deployment');
			const page = await through(door, 'deployment', async ({ jobs }) => await jobs.list({ limit: 3 }));
			assert.notEqual(page.jobs.length, 0);
		},
	},
	{
		...v2Call('v2 workflow', 'json', 'GET /api/v2/jobs/*/workflow'),
		tooDeep: unreadable('not_json'),
		run: async (door) => {
			const { job_id } = await endedJob(door, 'hosted');
			const { workflow } = await through(door, 'hosted', async ({ jobs }) => await jobs.workflow(job_id));
			assert.equal((workflow as ApiGraph)['1']?.class_type, 'EmptyImage');
		},
	},
	{
		...v2Call('v2 cancel', 'json', 'POST /api/v2/jobs/*/cancel'),
		run: async (door) => {
			const { job_id } = await beforehand(door, 'hosted', async ({ jobs }) => await jobs.submit({ graph: ENDLESS }));
			try {
				const job = await through(door, 'hosted', async ({ jobs }) => await jobs.cancel(job_id));
				assert.ok(['canceling', 'canceled'].includes(job.status));
			} finally {
				await beforehand(door, 'hosted', async ({ jobs }) => await jobs.cancel(job_id));
			}
		},
	},
];

/** Jobs over v2. */
export const v2JobCalls: readonly Call[] = [...callsOf('hosted'), ...callsOf('deployment'), ...ofEither];
