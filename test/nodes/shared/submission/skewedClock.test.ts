/** Retries after n8n was killed, on a machine whose clock differs from the service's. Jobs carry the service's times. */
import type { IDataObject } from 'n8n-workflow';

import { realClock, setClock } from '../../../../client/clock';
import { type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { credentialFor, type Way } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { afterCrash } from '../../support/retried';
import { jsons, submitRun } from '../../support/submit';
import { freshSandbox } from '../../support/sandbox';

const sandbox = freshSandbox();
afterEach(() => setClock(realClock));

const AHEAD_MS = 20 * 60_000;
const setAhead = (milliseconds: number): void => setClock({ ...realClock, wallNow: () => Date.now() + milliseconds });

/** Begun while the clock was ahead; n8n keeps nothing but when that was. */
const begun = (way: Way): NodeRun => ({
	...submitRun(credentialFor(sandbox, way), colorGraph(1), { parameters: { options: { keepTryingForSeconds: 1 } } }),
	executionContext: { version: 1, establishedAt: Date.now() + AHEAD_MS, source: 'webhook' },
});
const jobIds = () => sandbox.ledger.runs.map(({ jobId }) => jobId);
const ids = (result: NodeResult) => jsons(result).map(({ job_id }) => job_id);

it.each<[way: Way, message: RegExp | undefined]>([
	['engine', undefined],
	['bare_engine', undefined],
	['hosted', /may have submitted this item/],
	['deployment', /may have submitted this item/],
	['v1', /may have submitted this item/],
])(
	'a retry makes no second job while the clock of n8n is 20 minutes ahead, nor after it was corrected, when only an engine still finds the first (%s)',
	async (way, message) => {
		setAhead(AHEAD_MS);
		const run = begun(way);
		const first = await runNode(run);
		const ahead = await runNode(afterCrash(run, first));
		expect([ahead.error, ids(ahead)]).toEqual([undefined, jobIds()]);
		setAhead(0);
		const corrected = await runNode(afterCrash(run, first));
		expect(corrected.error?.message).toEqual(message === undefined ? undefined : expect.stringMatching(message));
		if (message === undefined) expect(ids(corrected)).toEqual(jobIds());
		expect(jobIds()).toHaveLength(1);
	},
);

const HOUR_MS = 60 * 60_000;

it.each<[way: Way, options: IDataObject, isFound: boolean]>([
	['engine', {}, true],
	['engine', { idempotencyKeyMode: 'none' }, true],
	['bare_engine', {}, true],
	['hosted', {}, false],
	['hosted', { idempotencyKeyMode: 'none' }, false],
	['deployment', { idempotencyKeyMode: 'none' }, false],
	['v1', {}, false],
])('a service that sends no time and is an hour behind is not paid twice: %s, %j, the job is found: %s', async (way, options, isFound) => {
	sandbox.configure({ dateHeader: 'absent' });
	setAhead(HOUR_MS);
	const run = {
		...submitRun(credentialFor(sandbox, way), colorGraph(1), { parameters: { options: { keepTryingForSeconds: 1, ...options } } }),
		executionContext: { version: 1 as const, establishedAt: Date.now() + HOUR_MS, source: 'webhook' as const },
	};
	const first = await runNode(run);
	const retried = await runNode(afterCrash(run, first));
	expect(jobIds()).toHaveLength(1);
	if (isFound) expect(ids(retried)).toEqual(jobIds());
	else expect(retried.error?.message).toMatch(/may have submitted this item/);
});
