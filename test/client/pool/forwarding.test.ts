/** A pool passes on everything that a caller submits. A new field belongs into these tables. */
import type { NewJob, PlacementOptions, SubmitOptions } from '../../../client';
import { Placements } from '../../../client/pool/placements';
import { newKey } from '../engine/support/engine';
import { newGraph } from '../support/graphs';
import { usePool } from './support/pool';

const pool = usePool();

/** How each field reaches the server of the job: as it is, or as the pool sets it. */
type Reached<Sent> = { [Name in keyof Required<Sent>]: unknown };

const newJob = (): Required<NewJob> => ({
	graph: newGraph(),
	extraData: { api_key_comfy_org: 'secret' },
	toEditorFile: jest.fn(() => ({ nodes: [] })),
	madeBy: { workflow_id: '1', workflow_name: 'one', execution_id: '2', node: 'Run', item: 0 },
});

const newPlacement = (): Required<PlacementOptions> => {
	const graph = newGraph();
	return {
		isAwaited: true,
		jobsToCome: 1,
		whenLost: 'report',
		placeFiles: jest.fn(async () => await Promise.resolve(graph)),
		comparable: jest.fn(() => graph),
		onLeftOut: jest.fn(),
	};
};

const newOptions = (placement: Required<PlacementOptions>): Required<SubmitOptions> => {
	const key = newKey();
	return {
		submissionId: `id of ${key}`,
		idempotencyKey: key,
		keyIsOurs: false,
		earlier: { lostRecord: { since: Date.now() } },
		knownJobIds: new Set(['another']),
		retryBudgetMs: 90_000,
		atFront: true,
		placement,
		onEvent: jest.fn(),
		signal: new AbortController().signal,
	};
};

test('each of two servers gets all fields of its job and all options', async () => {
	const { jobs, members } = pool.open({ servers: pool.settings(0, 1) });
	const opened = await Promise.all(members.map(async (member) => await member.open()));
	const spies = opened.map((connection) => ({
		submit: jest.spyOn(connection.jobs, 'submit'),
		findEarlier: jest.spyOn(connection.jobs, 'findEarlier'),
	}));
	const reserve = jest.spyOn(Placements.prototype, 'reserve');
	for (const [nth, { address }] of members.entries()) {
		const [job, placement] = [newJob(), newPlacement()];
		const options = newOptions(placement);
		await expect(jobs.submit(job, options)).resolves.toMatchObject({ server: address });
		const jobAtServer: Reached<NewJob> = { ...job, graph: await placement.placeFiles(address) };
		const optionsAtServer: Reached<SubmitOptions> = {
			...options,
			// The pool has looked for an earlier job on all servers, and has chosen this one.
			earlier: undefined,
			keyIsOurs: true,
			placement: undefined,
			// Another server may take the job after this time.
			retryBudgetMs: 5_000,
		};
		expect(spies.map(({ submit }) => submit.mock.calls.splice(0))).toEqual(
			members.map((_, index) => (index === nth ? [[jobAtServer, optionsAtServer]] : [])),
		);
		const earlierJob: Reached<NewJob> = { ...job, graph: placement.comparable() };
		expect(spies.map(({ findEarlier }) => findEarlier.mock.calls.splice(0))).toEqual(members.map(() => [[earlierJob, options]]));
		const toPlace: Reached<PlacementOptions> = placement;
		expect(reserve.mock.calls.splice(0)).toEqual([[expect.anything(), { ...toPlace, models: [], atFront: true }, options]]);
		expect(placement.placeFiles).toHaveBeenNthCalledWith(1, address);
	}
	reserve.mockRestore();
});
