/** Many rows on three ComfyUIs behind one credential, and a kill of n8n in the middle. */
import { type Sandbox, startSandbox } from '../../sandbox';
import { importCredentials, importWorkflow, itemsOf } from '../../scripts/n8nHost/documents';
import { onServer, serverDocument } from './support/engine';
import { deliveredColors, file, row, startByCall, webhook } from './support/guardedFlows';
import { openOwnHost, type OwnHost } from './support/ownHost';
import { until } from './support/until';
import { items, line } from './support/workflows';

const ALL_ROWS = Array.from({ length: 100 }, (_, row) => row);
const FINISHED_BEFORE_THE_KILL = 40;
const WITHIN_MS = 4 * 60_000;
const RUN = 'comfyRunWorkflow';
const BEHAVIOUR = { engineConcurrency: 1, engineJobRoutes: true, progressIntervalMs: 50 };

/** A picture with a color and a file name for each row. */
const picture = {
	'1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
	'2': { class_type: 'SandboxSampler', inputs: { image: ['1', 0], steps: 3, step_ms: 50, seed: 1 } },
	'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'row' } },
};

let host: OwnHost;
let engines: Sandbox[];
beforeAll(async () => {
	host = await openOwnHost();
	host.session.sandbox.configure(BEHAVIOUR);
	engines = [host.session.sandbox, await startSandbox(BEHAVIOUR), await startSandbox(BEHAVIOUR)];
}, WITHIN_MS);
afterAll(async () => {
	// The host closes the sandbox of its session.
	await Promise.all(engines.slice(1).map(async (engine) => await engine.close()));
	await host.close();
});

/** The rows whose jobs each engine has accepted. */
const acceptedRows = (): number[][] =>
	engines.map(({ ledger, job }) => ledger.runs.map(({ jobId }) => Number(job(jobId)?.graph['1']?.inputs.color)));

const countFinished = (): number =>
	engines.reduce((sum, engine) => sum + engine.jobs('self_hosted').filter(({ status }) => status === 'succeeded').length, 0);

const sorted = (numbers: number[]): number[] => numbers.toSorted((one, other) => one - other);

test(
	'a retry after n8n is killed with -9 delivers 100 rows in order from three servers, and no job runs twice',
	async () => {
		const { session } = host;
		const { rest } = session;
		const [, ...others] = engines.map(({ urls }) => urls.engine);
		const credential = serverDocument(session, { engineIsElsewhere: false, hasMoreServers: true, moreServers: others.join('\n') });
		const values = [row('1.color', '={{ $json.index }}'), row('3.filename_prefix', "={{ 'row-' + $json.index }}")];
		const run = onServer(RUN, { workflow: JSON.stringify(picture), inputs: { values }, options: { concurrency: 20 } });
		const document = line('rows', [webhook('rows'), ...items(ALL_ROWS.length), run, file]);
		const workflow = await importWorkflow(rest, document, await importCredentials(rest, [credential]));
		await rest.activate(workflow);
		const id = await startByCall(rest, workflow);
		await until('the first jobs', () => countFinished() >= FINISHED_BEFORE_THE_KILL || undefined);
		await host.killN8n();
		const before = acceptedRows().flat();
		expect(before.length).toBeLessThan(ALL_ROWS.length);

		await host.startN8n();
		await rest.waitFor(id, { until: ({ status }) => status === 'crashed' });
		const execution = await rest.waitFor(await rest.retry(id), { timeoutMs: 150_000 });
		expect([execution.status, execution.data.resultData.error?.message]).toEqual(['success', undefined]);
		const found = itemsOf(execution, RUN);
		expect(found.map(({ pairedItem }) => pairedItem)).toEqual(ALL_ROWS.map((item) => ({ item })));
		expect(await deliveredColors(rest, execution, RUN)).toEqual(ALL_ROWS);
		expect(found.flatMap(({ json }, row) => (json.recovered === true ? [row] : []))).toEqual(sorted(before));
		const accepted = acceptedRows();
		expect(sorted(accepted.flat())).toEqual(ALL_ROWS);
		const servers = ALL_ROWS.map((row) => engines[accepted.findIndex((rows) => rows.includes(row))]?.urls.engine);
		expect(found.map(({ json }) => json.server)).toEqual(servers);
		expect(new Set(servers).size).toBe(engines.length);
	},
	WITHIN_MS,
);
