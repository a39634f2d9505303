/** The option *Queue Position*. */
import { runNode } from '../support/engine';
import { credentialFor, type Way } from '../support/flavours';
import { colorGraph, gatedGraph } from '../support/graphs';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitRun, submitted } from '../support/submit';
import { until } from '../../support/until';

const sandbox = sharedSandbox();
let color = 7_000;

/** A job of another program that runs until the gate opens, and two that wait behind it. */
async function fillQueue(way: Way): Promise<string[]> {
	sandbox.configure({ gateOpen: false, engineConcurrency: 1 });
	const credential = credentialFor(sandbox, way);
	const running = await submitted(sandbox, gatedGraph((color += 1)), credential);
	await until(() => sandbox.job(running)?.status === 'running');
	const waiting = [
		await submitted(sandbox, colorGraph((color += 1)), credential),
		await submitted(sandbox, colorGraph((color += 1)), credential),
	];
	return [running, ...waiting];
}

/** The ids in the order in which their jobs began. */
const begun = (ids: string[]): string[] =>
	[...new Set(sandbox.ledger.executedNodes.map(({ jobId }) => jobId))].filter((id) => ids.includes(id));

/** Submits an item at each position. */
const submitAt = (way: Way, ...positions: string[]) =>
	submitRun(credentialFor(sandbox, way), colorGraph(0), {
		items: positions.map((position) => ({ json: { position, color: (color += 1) } })),
		parameters: {
			options: { concurrency: 1, queuePosition: '={{ $json.position }}', inputValues: '={{ { "1": { color: $json.color } } }}' },
		},
	});

it.each(['engine', 'bare_engine'] as const)(
	'an item at the front runs before all jobs that wait, and the other one after them (%s)',
	async (way) => {
		const [running = '', ...waiting] = await fillQueue(way);
		const result = await runNode(submitAt(way, 'normal', 'front'));
		expect(result.hints).toEqual([]);
		const [normal = '', front = ''] = jsons(result).map(({ job_id }) => String(job_id));
		sandbox.configure({ gateOpen: true });
		await until(() => [...waiting, normal].every((id) => sandbox.job(id)?.status === 'succeeded'));
		expect(begun([normal, front, ...waiting, running])).toEqual([running, front, ...waiting, normal]);
	},
);

it.each(['hosted', 'self_hosted', 'v1'] as const)(
	'a service without this position gets both items as usual, and one hint says so (%s)',
	async (way) => {
		const result = await runNode(submitAt(way, 'front', 'front'));
		expect(jsons(result)).toHaveLength(2);
		expect(result.hints).toEqual([expect.stringMatching(/^Queue Position has no effect/)]);
		for (const { bodyText } of [...sandbox.requests('POST /api/prompt'), ...sandbox.requests('POST /api/v2/jobs')])
			expect(bodyText).not.toMatch(/"front"/);
	},
);

it('an unknown position names the option before anything is sent', async () => {
	const { error } = await runNode(submitAt('engine', 'first', 'normal'));
	expect(error?.message).toBe('Queue Position "first" does not exist');
	expect(sandbox.requests('POST /api/prompt')).toEqual([]);
});
