/** Executions whose rows change between a kill of n8n and their retry, and retries in which n8n is killed again. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { itemsOf, type SavedCredential, type SavedWorkflow } from '../../scripts/n8nHost/documents';
import { engine, hosted, type Way } from './support/crashParts';
import { saveServer } from './support/engine';
import { deliveredColors, file, picture, row, startByCall, webhook } from './support/guardedFlows';
import { openOwnHost, type OwnHost } from './support/ownHost';
import { publish } from './support/triggers';
import { until } from './support/until';
import { line, node } from './support/workflows';

const WITHIN_MS = 5 * 60_000;
const RUN = 'comfyRunWorkflow';

interface Scene {
	name: string;
	way: Way;
	/** The colors of the rows. */
	before: number[];
	/** After the last kill. */
	after: number[];
	/** In how many executions n8n is killed: in the first one, and in retries of the previous one. */
	kills: number;
	/** Which of them are then retried until the end, from 0. n8n is killed between these retries. */
	retries: number[];
}

/** What a retry delivers for each item. */
interface Result {
	error: string | undefined;
	colors: unknown[];
	jobColors: unknown[];
	jobIds: unknown[];
}

const SCENES: Scene[] = [engine, hosted].flatMap((way) => [
	{ name: 'a row is added on top', way, before: [1, 2], after: [9, 1, 2], kills: 1, retries: [0] },
	{ name: 'a row is deleted', way, before: [1, 2, 3], after: [2, 3], kills: 1, retries: [0] },
	{ name: 'the rows are reordered', way, before: [1, 2, 3], after: [3, 1, 2], kills: 1, retries: [0] },
	{ name: 'a chain is retried from its last execution', way, before: [1, 2], after: [1, 2], kills: 3, retries: [2, 0] },
	{ name: 'a chain is retried from its first execution', way, before: [1, 2], after: [1, 2], kills: 3, retries: [0, 2] },
]);
const ROUNDS = Math.max(...SCENES.map(({ kills }) => kills));
/** Each round of retries begins with empty records of requests. */
const RETRIED_ON_ENGINE = SCENES.filter(({ way, kills }) => way === engine && kills > 1).length;
const LAST_RETRIES = Math.max(...SCENES.map(({ retries }) => retries.length));
const tagOf = (scene: Scene): string => `rows-${SCENES.indexOf(scene)}`;

let host: OwnHost;
let credentials: SavedCredential[];
/** The colors of the rows now, by tag. */
const served = new Map(SCENES.map((scene) => [tagOf(scene), scene.before]));
const workflows = new Map<Scene, SavedWorkflow>();
/** The executions in which n8n was killed. */
const chains = new Map(SCENES.map((scene) => [scene, [] as string[]]));
const results = new Map(SCENES.map((scene) => [scene, [] as Result[]]));

/** The number of a row changes if another row moves. */
const server = createServer(({ url = '' }, response) => {
	const rows = served.get(url.slice(1))?.map((color, index) => ({ row_number: index + 2, color }));
	response.setHeader('content-type', 'application/json').end(JSON.stringify(rows));
});

const jobsOf = (scene: Scene) => host.session.sandbox.jobs().filter(({ graph }) => graph['3']?.inputs.filename_prefix === tagOf(scene));

async function save(scene: Scene): Promise<void> {
	const tag = tagOf(scene);
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${tag}`;
	const read = node('Rows', 'n8n-nodes-base.httpRequest', 4.2, { url, options: {} });
	const values = [row('1.color', '={{ $json.color }}')];
	const run = scene.way.node(RUN, { workflow: JSON.stringify(picture(tag, true)), inputs: { values } });
	workflows.set(scene, (await publish(host.session, line(tag, [webhook(tag), read, run, file]), credentials)).workflow);
}

/** Retries an execution. @returns the id of the retry as soon as it runs. */
async function startRetry(workflow: SavedWorkflow, id: string): Promise<string> {
	const { rest } = host.session;
	// n8n answers when the retry has ended.
	rest.retry(id).catch(() => undefined);
	return await until(`a retry of ${id}`, async () => (await rest.executions(workflow.id)).find(({ retryOf }) => retryOf === id)?.id);
}

const countLists = (requests: string[]): number => requests.filter((request) => /^\/api\/jobs(\?|$)/.test(request)).length;

/** Starts the next execution of the chain, until it waits for the jobs of all rows. */
async function startNext(scene: Scene): Promise<void> {
	const { rest, sandbox } = host.session;
	const [workflow, chain] = [workflows.get(scene)!, chains.get(scene)!];
	const last = chain.at(-1);
	chain.push(last === undefined ? await startByCall(rest, workflow) : await startRetry(workflow, last));
	await until(`the jobs of ${tagOf(scene)}`, () => {
		const requests = sandbox.requests().map(({ path, bodyText }) => path + bodyText);
		// A retry finds the jobs of an engine in its list, and then needs no request with their IDs.
		const hasLists = last !== undefined && scene.way === engine && countLists(requests) >= RETRIED_ON_ENGINE;
		const jobs = jobsOf(scene).filter(
			({ id, status }) => status === 'running' && (hasLists || requests.some((request) => request.includes(id))),
		);
		return jobs.length >= scene.before.length || undefined;
	});
}

async function killAndStart(running: string[]): Promise<void> {
	const { rest, sandbox } = host.session;
	await host.killN8n();
	sandbox.resetRecords();
	await host.startN8n();
	for (const id of running) await rest.waitFor(id, { until: ({ status }) => status === 'crashed' });
}

async function retry(scene: Scene, id: string): Promise<void> {
	const { rest, sandbox } = host.session;
	const execution = await rest.waitFor(await rest.retry(id));
	const jobIds = itemsOf(execution, RUN).map(({ json }) => json.job_id);
	results.get(scene)!.push({
		error: execution.data.resultData.error?.message,
		colors: await deliveredColors(rest, execution),
		jobColors: jobIds.map((jobId) => sandbox.job(String(jobId))?.graph['1']?.inputs.color),
		jobIds,
	});
}

const all = async (scenes: Scene[], work: (scene: Scene) => Promise<void>) => await Promise.all(scenes.map(work));

/** All scenes have their last kill at the same time. */
beforeAll(async () => {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	host = await openOwnHost();
	const { session } = host;
	session.sandbox.configure({ workers: 1000, engineConcurrency: 1000, gateOpen: false });
	credentials = [...session.credentials, ...(await saveServer(session))];
	await all(SCENES, save);
	for (let left = ROUNDS; left > 0; left--) {
		const scenes = SCENES.filter(({ kills }) => kills >= left);
		await all(scenes, startNext);
		await killAndStart(scenes.map((scene) => chains.get(scene)!.at(-1)!));
	}
	for (const scene of SCENES) served.set(tagOf(scene), scene.after);
	session.sandbox.configure({ gateOpen: true });
	for (let nth = 0; nth < LAST_RETRIES; nth++) {
		if (nth > 0) await killAndStart([]);
		const scenes = SCENES.filter(({ retries }) => nth < retries.length);
		await all(scenes, async (scene) => await retry(scene, chains.get(scene)![scene.retries[nth]!]!));
	}
}, WITHIN_MS);
afterAll(async () => {
	await host.close();
	server.close();
});

test.each(SCENES)('each item has the image of its own row, and each row is billed once: $name ($way.name)', (scene) => {
	const { before, after, retries } = scene;
	const found = results.get(scene)!;
	const jobIds = found[0]?.jobIds;
	expect(found).toEqual(retries.map(() => ({ error: undefined, colors: after, jobColors: after, jobIds })));
	expect(new Set(jobIds).size).toBe(after.length);
	const billed = host.session.sandbox.ledger.runs.filter(({ jobId }) => jobsOf(scene).some(({ id }) => id === jobId));
	expect(billed).toHaveLength(new Set([...before, ...after]).size);
});
