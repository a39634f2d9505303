import { ConnectionError, type Job, UnreadableJobError } from '../../../client';
import type { JobContact, JobService } from '../../../client/ports/jobService';
import { Slots } from '../../../client/async/slots';
import { PolledJob } from '../../../client/wait/jobPoller';
import { WatchedJob } from '../../../client/wait/watchedJob';
import { useStillClock } from '../../support/stillClock';
import { job } from '../comfyui/progress/support';
import { failureOf } from '../support/bytes';

const moveOn = useStillClock();

const ADDRESS = 'http://127.0.0.1:8188';
const LIMIT_MS = 60_000;

const refused = (): ConnectionError =>
	new ConnectionError({ trouble: 'refused', origin: ADDRESS, mayHaveArrived: false, message: 'The connection was refused' });

/** Two running jobs of a server whose reads fail, and which has given no answer to any request since time 0. */
function watchTwo(): [WatchedJob, WatchedJob] {
	const contact: JobContact = {
		hasAnswered: true,
		waitMs: 0,
		lostLimitMs: LIMIT_MS,
		silentSince: 0,
		failure: undefined,
		address: ADDRESS,
		noteWork: () => undefined,
	};
	const jobs = {
		contactOf: () => contact,
		get: async () => await Promise.reject(refused()),
	} as unknown as JobService;
	const reads = new Slots(1);
	const watch = (jobId: string): WatchedJob => new WatchedJob(jobs, jobId, reads, undefined, job(jobId, 'running'));
	return [watch('one'), watch('two')];
}

test.each<[string, (watched: WatchedJob) => void]>([
	[
		'an event',
		(watched) => void watched.handleEvent({ kind: 'status', status: 'running', service_status: 'running', queue_position: null }),
	],
	['a list', (watched) => watched.handleListed(job('two', 'running') as Job)],
])('%s about a job is a usable answer, and only the other job of the silent server is reported', async (_name, tellOf) => {
	const [one, two] = watchTwo();
	moveOn(LIMIT_MS - 1);
	await expect(Promise.all([one.read(undefined), two.read(undefined)])).resolves.toEqual([false, false]);
	tellOf(two);
	moveOn(1);
	expect(await failureOf(one.read(undefined))).toMatchObject({
		name: UnreadableJobError.name,
		jobId: 'one',
		forMs: LIMIT_MS,
		address: ADDRESS,
	});
	await expect(two.read(undefined)).resolves.toBe(false);
	moveOn(LIMIT_MS);
	expect(await failureOf(two.read(undefined))).toBeInstanceOf(UnreadableJobError);
});

test('a read that is due stays due if the stream of its job changes in the same moment, for each of two waits', async () => {
	const { signal } = new AbortController();
	const polledJobs = [0, 1].map(() => new PolledJob({} as WatchedJob, signal));
	for (const expected of [true, false]) {
		const pauses = polledJobs.map(async (polled) => await polled.pause(500));
		for (const polled of polledJobs) {
			if (expected) polled.wake(true);
			polled.wake(false);
		}
		await expect(Promise.all(pauses)).resolves.toEqual([expected, expected]);
	}
});
