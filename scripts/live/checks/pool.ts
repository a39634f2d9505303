/** Several servers that work as one connection: jobs are divided, files are copied, and each job is found by its ID. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ApiError, cancelAndConfirm, type Job, outcomeOf, withObserver } from '../../../client';
import { pngSource } from '../../../test/client/support/pictures';
import { assertSamePixels, colorGraph, inversionGraph, invertPixels, randomPicture, readPixels, slowGraph } from '../pictures';
import {
	assertRunOnce,
	closeStage,
	countByServer,
	listRuns,
	newColor,
	openStage,
	type PoolStage,
	runOnAll,
	sendToAll,
	type SentJob,
} from '../poolStage';
import { assertThat, CheckFailure, CheckSkipped, downloadOutput, type Report, waitForSuccess } from '../stage';

const JOBS_TO_DIVIDE = 10;
/** Of a job that takes about a second. */
const STEPS = 4;
/** Of a job that lasts until the ones behind it are canceled. */
const LONG_STEPS = 16;
/** PNG loses nothing, but ComfyUI counts in fractions in between. */
const ROUNDING = 1;
const LOOPBACK_NAMES: Readonly<Record<string, string>> = { '127.0.0.1': 'localhost', localhost: '127.0.0.1' };

const needed = <T>(value: T | undefined): T => {
	if (value === undefined) throw new CheckFailure('not tried, because a check before it did not hold');
	return value;
};

/** @returns whether all servers respond. */
export async function checkPool(stage: PoolStage, report: Report): Promise<boolean> {
	const members = stage.connection.members;
	const isReached = await report.check('Reach each server', async () => {
		assertThat(members.length === stage.servers.length, 'two of the addresses are the same');
		const found = await Promise.all(members.map(async (member) => (await member.open(stage)).verifyAccess(stage)));
		return { said: found.map(({ version }, nth) => `${members[nth]?.address} (${version})`).join(', '), value: true };
	});
	if (!isReached) return false;
	await checkJobs(stage, report);
	await checkPoolFiles(stage, report);
	await checkServers(stage, report);
	await checkSameServer(stage, report);
	return true;
}

async function checkJobs(stage: PoolStage, report: Report): Promise<void> {
	const { connection, stranger, signal, folder } = stage;
	const members = connection.members;
	const divided = await report.check('Divide jobs', async () => {
		const eventsOf = new Map<string, number>();
		const jobs = await runOnAll(stage, 'divided', (prefix) => slowGraph(newColor(), STEPS, prefix), {
			jobs: JOBS_TO_DIVIDE,
			jobsToCome: (nth) => JOBS_TO_DIVIDE - 1 - nth,
			onEvent: (id, { kind }) => kind === 'output' && eventsOf.set(id, (eventsOf.get(id) ?? 0) + 1),
		});
		const counts = countByServer(stage, jobs);
		await assertRunOnce(jobs, members, signal);
		const withoutEvents = jobs.filter(({ job }) => !eventsOf.has(job.job_id));
		assertThat(withoutEvents.length === 0, `no output arrived live from ${withoutEvents[0]?.job.server}`);
		return { said: `${counts}; each ran once, and each output arrived live`, value: jobs };
	});

	await report.check('Find jobs by id', async () => {
		const jobs = needed(divided);
		await Promise.all(jobs.map(async (sent) => await assertFound(stage, sent)));
		const listed = (await stranger.jobs.list({ signal })).jobs;
		for (const { job } of jobs) {
			const found = listed.filter(({ job_id: id }) => id === job.job_id);
			assertThat(found.length === 1 && found[0]?.server === job.server, `the list has job ${job.job_id} ${found.length} times`);
		}
		const unknown = await outcomeOf(stranger.jobs.get(randomUUID(), { signal }));
		assertThat(
			!unknown.ok && unknown.error instanceof ApiError && unknown.error.status === 404,
			'an unknown job is not reported as unknown',
		);
		return { said: `a second connection read ${jobs.length} jobs and workflows, and listed each job once` };
	});

	await report.check('Same key, one job', async () => {
		const [idempotencyKey, prefix] = [`live-${randomUUID()}`, `${folder}/key`];
		const graph = colorGraph(newColor(), prefix);
		const { job_id: id } = await connection.jobs.submit({ graph }, { idempotencyKey, signal });
		await waitForSuccess(stage, id);
		const again = await stranger.jobs.submit({ graph }, { idempotencyKey, signal });
		assertThat(again.job_id === id, `the key gave a second job: ${again.job_id}`);
		await assertRunOnce([{ prefix }], members, signal);
		return { said: 'submitted again by a second connection, which got the same job' };
	});

	await report.check('Queue and cancel', async () => await checkCancel(stage));
}

/** A second connection finds the job, its outputs and its workflow. */
async function assertFound({ stranger, signal }: PoolStage, { job, graph }: SentJob): Promise<void> {
	const found = await stranger.jobs.get(job.job_id, { signal });
	assertThat(found.server === job.server, `job ${job.job_id} of ${job.server} is found on ${found.server}`);
	const references = ({ outputs }: Job): unknown[] => outputs.map(({ reference }) => reference);
	assertThat(
		isDeepStrictEqual(references(found), references(job)),
		`job ${job.job_id} has other outputs: ${JSON.stringify(found.outputs)}`,
	);
	const { workflow } = await stranger.jobs.workflow(job.job_id, { signal });
	assertThat(isDeepStrictEqual(workflow, graph), `the workflow is not the one that was sent: ${JSON.stringify(workflow)}`);
}

/** Each server runs one job, and a second one waits. The second connection sees all of them, and cancels those that wait. */
async function checkCancel(stage: PoolStage): Promise<{ said: string }> {
	const { connection, stranger, signal } = stage;
	const members = connection.members;
	const jobs = await sendToAll(stage, 'canceled', (prefix) => slowGraph(newColor(), LONG_STEPS, prefix));
	countByServer(stage, jobs);
	const { running, pending } = await stranger.records.queue({ signal });
	const isOwn = ({ job_id: id }: { job_id: string }): boolean => jobs.some(({ job }) => job.job_id === id);
	const waiting = pending.filter(isOwn);
	const canceled = await Promise.all(waiting.map(async ({ job_id: id }) => await cancelAndConfirm(stranger.jobs, id, { signal })));
	// The first connection reads their end as well. Until then, it counts them as unfinished jobs.
	await Promise.all(waiting.map(async ({ job_id: id }) => await connection.jobs.get(id, { signal })));
	const others = jobs.filter(({ job }) => !waiting.some(({ job_id: id }) => id === job.job_id));
	await Promise.all(others.map(async ({ job }) => await waitForSuccess(stage, job.job_id)));
	if (canceled.some(({ job }) => job.status === 'succeeded') || waiting.length < members.length)
		throw new CheckSkipped('not shown: a job had begun to run before it was canceled');
	for (const { address } of members) {
		const own = jobs.filter(({ job }) => job.server === address);
		const isListed = [...running, ...pending].some(({ job_id: id }) => own.some(({ job }) => job.job_id === id));
		assertThat(isListed, `the queue has no job of ${address}`);
	}
	assertThat(
		canceled.every(({ confirmed }) => confirmed),
		`a canceled job reads ${canceled.find(({ confirmed }) => !confirmed)?.job.status}`,
	);
	await assertRunOnce(others, members, signal);
	return { said: `${canceled.length} waiting jobs were canceled by id; the ${others.length} before them ran once` };
}

async function checkPoolFiles(stage: PoolStage, report: Report): Promise<void> {
	const { connection, signal, folder } = stage;
	const inverted = await report.check('Copy an upload', async () => {
		const file = await randomPicture();
		const uploads: string[] = [];
		const onExchange = ({ method, address }: { method: string; address: string }): void => {
			if (method === 'POST' && address.endsWith('/upload/image')) uploads.push(address);
		};
		const jobs = await withObserver({ onExchange, onDecision: () => undefined }, async () => {
			const { asset } = await connection.assets.upload(pngSource(file), { filePath: `${folder}/random.png`, signal });
			const reference = connection.assets.reference(asset);
			return await runOnAll(stage, 'inverted', (prefix) => inversionGraph(reference, prefix));
		});
		const counts = countByServer(stage, jobs);
		const expected = invertPixels(await readPixels(file));
		const files = await Promise.all(jobs.map(async ({ job }) => await downloadOutput(stage, job)));
		for (const { file: output } of files) assertSamePixels(expected, await readPixels(output), ROUNDING);
		for (const { address } of connection.members) {
			const count = uploads.filter((one) => one.startsWith(`${address}/`)).length;
			assertThat(count === 1, `${address} got the file ${count} times, not once`);
		}
		return { said: `${counts}; each server got the file once, and each pixel is right`, value: jobs };
	});

	await report.check('Pass outputs on', async () => {
		const [first] = connection.members;
		const source = needed(inverted).find(({ job }) => job.server === first?.address);
		const { file, output } = await downloadOutput(stage, needed(source).job);
		const { reference } = output;
		assertThat(typeof reference === 'string', 'the output cannot be an input of another job');
		const jobs = await runOnAll(stage, 'passed-on', (prefix) => inversionGraph(reference, prefix));
		const counts = countByServer(stage, jobs);
		const expected = invertPixels(await readPixels(file));
		const files = await Promise.all(jobs.map(async ({ job }) => await downloadOutput(stage, job)));
		for (const { file: result } of files) assertSamePixels(expected, await readPixels(result), ROUNDING);
		return { said: `an output of ${first?.address} was an input of jobs on all servers: ${counts}` };
	});
}

async function checkServers({ connection, signal }: PoolStage, report: Report): Promise<void> {
	await report.check('Servers and models', async () => {
		const members = connection.members;
		const all = await Promise.all(
			members.map(async (member) => {
				const { maintenance, control } = await member.open({ signal });
				const info = await maintenance.info({ signal });
				assertThat(info.devices.length > 0, `${member.address} reports no device`);
				const { running, pending } = await control.queue({ signal });
				const models = (await maintenance.models('checkpoints', { signal })) ?? [];
				return { device: info.devices[0]?.name, queued: running.length + pending.length, models: models.map(({ name }) => name) };
			}),
		);
		return { said: all.map(({ device, queued, models }) => `${device}: ${queued} jobs, ${models.length} checkpoints`).join('; ') };
	});
}

/** A user may enter one server under two names. It may then look like two servers, but no job may run twice. */
async function checkSameServer({ servers, folder, signal }: PoolStage, report: Report): Promise<void> {
	await report.check('One server, two names', async () => {
		const [server] = servers;
		const url = new URL(needed(server).baseUrl);
		const otherName = LOOPBACK_NAMES[url.hostname];
		if (otherName === undefined) throw new CheckSkipped('not shown: the first server is not on this computer');
		url.hostname = otherName;
		const twice = openStage({ servers: [needed(server), { ...needed(server), baseUrl: url.href }], folder: `${folder}/twice`, signal });
		try {
			return await checkTwice(twice);
		} finally {
			await closeStage(twice);
		}
	});
}

async function checkTwice(stage: PoolStage): Promise<{ said: string }> {
	const { connection, stranger, signal, folder } = stage;
	const [member] = connection.members;
	const once = [needed(member)];
	if (!(await outcomeOf(Promise.all(connection.members.map(async (one) => await one.open({ signal }))))).ok)
		throw new CheckSkipped('not shown: ComfyUI does not respond under its other name');
	const jobs = await runOnAll(stage, 'job', (prefix) => colorGraph(newColor(), prefix));
	countByServer(stage, jobs);
	await assertRunOnce(jobs, once, signal);
	for (const { job } of jobs) {
		const found = await stranger.jobs.get(job.job_id, { signal });
		assertThat(found.status === 'succeeded', `job ${job.job_id} reads ${found.status}`);
	}
	const [idempotencyKey, prefix] = [`live-${randomUUID()}`, `${folder}/key`];
	const graph = slowGraph(newColor(), STEPS, prefix);
	const first = await connection.jobs.submit({ graph }, { idempotencyKey, signal });
	const again = await stranger.jobs.submit({ graph }, { idempotencyKey, signal });
	assertThat(first.job_id === again.job_id, `one key gave two jobs: ${first.job_id} and ${again.job_id}`);
	await waitForSuccess(stage, first.job_id);
	await assertRunOnce([{ prefix }], once, signal);
	const victims = await sendToAll(stage, 'stopped', (one) => slowGraph(newColor(), LONG_STEPS, one));
	await Promise.all(victims.map(async ({ job }) => await cancelAndConfirm(stranger.jobs, job.job_id, { signal, withinMs: 60_000 })));
	const runs = (await listRuns(once, signal)).filter((run) => run.startsWith(`${folder}/`));
	assertThat(new Set(runs).size === runs.length, `a job ran twice: ${runs.find((run, nth) => runs.indexOf(run) !== nth)}`);
	return { said: `${jobs.length + 1} jobs ran once, and ${victims.length} were canceled` };
}
