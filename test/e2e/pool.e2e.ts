import { type Execution, itemsOf } from '../../scripts/n8nHost/documents';
import { deliveredColors } from './support/guardedFlows';
import { openOwnHost, type OwnHost } from './support/ownHost';
import { Pool, RUN, sorted } from './support/pool';

const ROWS = 100;
const ALL_ROWS = Array.from({ length: ROWS }, (_, row) => row);
const WITHIN_MS = 4 * 60_000;
/** The engine that is killed. */
const KILLED = 1;
const DOWN_MS = 5_000;

let host: OwnHost;
let pool: Pool;
beforeAll(async () => {
	host = await openOwnHost();
	pool = await Pool.open(host);
}, WITHIN_MS);
beforeEach(() => pool.reset());
afterAll(async () => {
	await pool.close();
	await host.close();
});

const ended = async (id: string): Promise<Execution> => await host.session.rest.waitFor(id, { timeoutMs: 150_000 });
const retried = async (id: string): Promise<Execution> => await ended(await host.session.rest.retry(id));
const without = (...rows: number[][]): number[] => ALL_ROWS.filter((row) => !rows.flat().includes(row));

/** Each row has one item in the order of the rows. All have a picture with their own color, except these. */
async function expectDelivered(execution: Execution, failed: number[] = []): Promise<void> {
	expect([execution.status, execution.data.resultData.error?.message]).toEqual(['success', undefined]);
	const found = itemsOf(execution, RUN);
	expect(found.map(({ pairedItem }) => pairedItem)).toEqual(ALL_ROWS.map((item) => ({ item })));
	expect(await deliveredColors(host.session.rest, execution, RUN)).toEqual(ALL_ROWS.map((row) => (failed.includes(row) ? undefined : row)));
	expect(found.flatMap(({ json }, row) => ('error' in json ? [row] : []))).toEqual(sorted(failed));
}

test(
	'100 rows run once each on all three servers and are delivered in order',
	async () => {
		const execution = await ended(await pool.start(await pool.publish('rows', ROWS, {})));
		await expectDelivered(execution);
		expect(pool.rowsAccepted(1)).toEqual(ALL_ROWS);
		const servers = itemsOf(execution, RUN).map(({ json }) => json.server);
		const accepted = pool.acceptedRows();
		expect(servers).toEqual(ALL_ROWS.map((row) => pool.engines[accepted.findIndex((rows) => rows.includes(row))]?.urls.engine));
		expect(new Set(servers).size).toBe(3);
	},
	WITHIN_MS,
);

test(
	'a retry after n8n is killed with -9 delivers 100 rows, and no job runs twice',
	async () => {
		const id = await pool.start(await pool.publish('crash', ROWS, {}));
		await pool.untilFinished(40);
		await host.killN8n();
		const before = pool.acceptedRows().flat();
		expect(before.length).toBeLessThan(ROWS);
		await host.startN8n();
		await host.session.rest.waitFor(id, { until: ({ status }) => status === 'crashed' });
		const execution = await retried(id);
		await expectDelivered(execution);
		expect(pool.rowsAccepted(1)).toEqual(ALL_ROWS);
		const recovered = itemsOf(execution, RUN).flatMap(({ json }, row) => (json.recovered === true ? [row] : []));
		expect(recovered).toEqual(sorted(before));
	},
	WITHIN_MS,
);

describe('one engine is killed in the middle of 100 rows and starts again', () => {
	const ON_ERROR_CONTINUE = { onError: 'continueRegularOutput' } as const;
	const messageOf = (execution: Execution, row: number) => String(itemsOf(execution, RUN)[row]?.json.error);
	const address = (): string => String(pool.engines[KILLED]?.urls.engine);
	const FORGOTTEN = () => new RegExp(`^The server ${address()} no longer has job \\S+: it was restarted`);

	test(
		'Run Elsewhere delivers all rows without a retry, and runs only the unfinished and the unanswered job again',
		async () => {
			const id = await pool.start(await pool.publish('elsewhere', ROWS, { whenServerLost: 'runElsewhere' }));
			const { running, unanswered } = await pool.kill(KILLED);
			await pool.startAfter(KILLED, DOWN_MS);
			await expectDelivered(await ended(id));
			expect(pool.rowsAccepted(2)).toEqual(sorted([...running, ...unanswered]));
			expect(pool.rowsAccepted(1)).toEqual(without(running, unanswered));
		},
		WITHIN_MS,
	);

	test(
		'Report fails the unfinished and the unanswered row, names the server, delivers the others and runs nothing twice',
		async () => {
			const id = await pool.start(await pool.publish('report', ROWS, { maxWaitMinutes: 0.3 }, ON_ERROR_CONTINUE));
			const { running, unanswered } = await pool.kill(KILLED);
			await pool.startAfter(KILLED, DOWN_MS);
			const execution = await ended(id);
			await expectDelivered(execution, [...running, ...unanswered]);
			expect(messageOf(execution, running[0]!)).toMatch(FORGOTTEN());
			expect(messageOf(execution, unanswered[0]!)).toBe(
				`This item may have been submitted to ${address()}, but the server stopped responding`,
			);
			expect(pool.rowsAccepted(1)).toEqual(ALL_ROWS);
		},
		WITHIN_MS,
	);

	test(
		'a retry with Report delivers the rows of the other servers, and runs no job of the restarted server again',
		async () => {
			const workflow = await pool.publish('report-retry', ROWS, {});
			const id = await pool.start(workflow);
			const { running } = await pool.kill(KILLED, true);
			await pool.startAfter(KILLED, DOWN_MS);
			const failed = await ended(id);
			expect([failed.status, failed.data.resultData.error?.message]).toEqual(['error', expect.stringMatching(FORGOTTEN())]);
			const lost = pool.acceptedRows()[KILLED]!;
			expect(lost).toEqual(expect.arrayContaining(running));

			const execution = await ended(await pool.retryWith(workflow, id, ON_ERROR_CONTINUE));
			await expectDelivered(execution, lost);
			for (const row of lost) expect(messageOf(execution, row)).toMatch(/^ComfyUI no longer has job/);
			expect(pool.rowsAccepted(1)).toEqual(ALL_ROWS);
		},
		WITHIN_MS,
	);
});
