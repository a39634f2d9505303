import { countTurns } from '../../support/turnClock';
import { runNode } from '../support/engine';
import { credentialFor, interfaceOf, type Way, ways } from '../support/flavours';
import { slowGraph } from '../support/graphs';
import { jobsWait } from '../support/jobsWait';
import { runRun } from '../support/run';
import { freshSandbox } from '../support/sandbox';

// Who waits in vain asks once more.
countTurns(1);

const sandbox = freshSandbox({ engineJobRoutes: true });

/** What is asked once for all items of a run, before the first: what this server is. */
const LOOKS: Partial<Record<Way, number>> = { self_hosted: 1, bare_engine: 2 };

/** The submission, the stream, one read at the end, the file; not counted is where a service sends on to its storage. */
const OF_A_JOB = 4;

const isStorage = (path: string): boolean => path.startsWith('/blobs');

it.each(ways)('a job with one output and no upload takes four requests over %s', async (way) => {
	const credential = credentialFor(sandbox, way);
	sandbox.resetRecords();
	const isHeard = () => (interfaceOf(way) === 'v2' ? sandbox.requests('GET /api/v2/jobs/:id/events') : sandbox.sockets()).length > 0;
	const turn = jobsWait(sandbox, () => sandbox.ledger.runs.length > 0 && isHeard());
	const [result] = await Promise.all([runNode(runRun(credential, slowGraph(5, 60, 3))), turn]);
	expect(result.error).toBeUndefined();
	const asked = sandbox
		.requests()
		.flatMap(({ method, path, status }) => (isStorage(path) && way === 'v1' ? [] : [`${method} ${path} ${status}`]));
	expect(asked.slice(OF_A_JOB + (LOOKS[way] ?? 0))).toEqual([]);
});

/** A read may come a moment before the records know of the end that the stream has told: on a loaded machine, of each. */
const READ_TOO_SOON = 20;

it.each(['hosted', 'self_hosted', 'v1', 'bare_engine'] as const)(
	'20 items take 20 times as many requests and one server detection (over %s)',
	async (way) => {
		const items = Array.from({ length: 20 }, (_, index) => ({ json: { graph: JSON.stringify(slowGraph(2, 20, index)) } }));
		const result = await runNode(runRun(credentialFor(sandbox, way), '={{ $json.graph }}', { items }));
		expect(result.outputs[0]).toHaveLength(20);
		expect(sandbox.requests().filter(({ path }) => way !== 'v1' || !isStorage(path)).length).toBeLessThanOrEqual(
			20 * OF_A_JOB + (LOOKS[way] ?? 0) + READ_TOO_SOON,
		);
	},
);
