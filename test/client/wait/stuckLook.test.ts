import { setClock } from '../../../client/clock';
import { fasterClock } from '../../support/fastClock';
import { until } from '../../support/until';
import { slowGraph } from '../support/graphs';
import { SharedWait } from '../../../client/wait/sharedWait';
import { useWaits, waitAmong } from '../support/waits';

const LIST = 'GET /api/v2/jobs';
const SPEED = 10;
/** Nothing of a wait is due so soon, but what is set for a moment that is over. */
const AT_ONCE_MS = 0.2;
const { harness, count } = useWaits();

let atOnce = 0;
beforeEach(() => {
	harness.sandbox.configure({ workers: 0 });
	const faster = fasterClock(SPEED);
	setClock({
		...faster,
		after: (milliseconds, call) => {
			if (milliseconds <= AT_ONCE_MS) atOnce += 1;
			return faster.after(milliseconds, call);
		},
	});
});
afterEach(() => {
	harness.sandbox.configure({ workers: 4 });
	setClock(fasterClock(1));
});

test('a look at a list that does not answer keeps nobody busy', async () => {
	const connection = harness.connect('self_hosted');
	const shared = new SharedWait();
	const jobs = await Promise.all([1, 2, 3, 4, 5, 6].map(async () => await connection.jobs.submit({ graph: slowGraph(1, 10) })));
	harness.sandbox.inject({ on: LIST, times: Infinity, fault: { kind: 'stall' } });
	const waits = jobs.map(async (job) => await waitAmong(shared, connection, job, { mode: 'polling' }));
	await until(() => count(LIST) === 1);
	const readsBefore = count('GET /api/v2/jobs/:id');
	// The waits read their jobs by themselves once the look has taken too long.
	await until(() => count('GET /api/v2/jobs/:id') >= readsBefore + 40);
	expect(atOnce).toBeLessThan(50);
	harness.sandbox.clearFaults();
	harness.sandbox.configure({ workers: 4 });
	expect((await Promise.all(waits)).every(({ finished }) => finished)).toBe(true);
});
