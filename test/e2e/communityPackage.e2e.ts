/** As a user installs and updates it: *Settings > Community nodes* of n8n, which gets it from a registry by npm. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { itemsOf } from '../../scripts/n8nHost/documents';
import { packAsBuilt } from '../../scripts/n8nHost/install';
import { type RunningN8n, startN8n } from '../../scripts/n8nHost/startN8n';
import type { N8nRest } from '../../scripts/n8nHost/rest';
import { gated } from './support/graphs';
import { npmOf, type Registry, startRegistry } from './support/registry';
import { openSession, type Session, submitJob } from './support/session';
import { BESIDE_A_GATE, triggerWorkflow, publish, type Published } from './support/triggers';
import { until } from './support/until';
import { chain, comfy } from './support/workflows';

const NAME = 'n8n-nodes-comfy';
const OLD = '7.0.0';
const NEW = '7.0.1';

let folder: string;
let tarball: string;
let registry: Registry;
let n8n: RunningN8n;
let rest: N8nRest;
let session: Session;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'comfy-e2e-community-'));
	await mkdir(join(folder, 'user'));
	registry = await startRegistry(folder);
	tarball = await packAsBuilt(join(folder, 'packed'));
	registry.publish(tarball, OLD);
	n8n = await startN8n({ userFolder: join(folder, 'user'), env: npmOf(registry.url, join(folder, 'bin')) });
	({ rest } = n8n);
});
afterAll(async () => {
	await n8n.kill();
	await session?.close();
	registry.close();
	await rm(folder, { recursive: true, force: true });
});

/** What this package says of itself to the service, in requests of one kind. */
const agents = (on: string): unknown[] => [...new Set(session.sandbox.requests(on).map(({ headers }) => headers['user-agent']))];

const delivered = (workflow: object) =>
	chain(
		'delivered',
		comfy('comfySubmitWorkflow', { workflow: JSON.stringify(workflow) }),
		comfy('comfyWaitForJob'),
		comfy('comfyDownloadOutputs'),
	);

test('the package is installed from a registry, and its nodes run at once', async () => {
	expect(await rest.installPackage(NAME)).toMatchObject({ packageName: NAME, installedVersion: OLD });
	session = await openSession({ url: n8n.url, session: rest.session });
	const execution = await session.execute(delivered(gated(1)));
	expect(execution.status).toBe('success');
	expect(itemsOf(execution, 'comfyDownloadOutputs')).toHaveLength(1);
	expect(agents('POST /api/v2/jobs')).toEqual([`${NAME}/${OLD}`]);
});

const story = async (trigger: Published, jobId: string | undefined): Promise<unknown[]> =>
	(await trigger.startItems()).filter(({ job_id }) => job_id === jobId).map(({ milestone, kind }) => milestone ?? kind);

/** Waits until the end is reported. @returns everything that was reported. */
const wholeStory = async (trigger: Published, jobId: string | undefined): Promise<unknown[]> => {
	await until('the end to be told', async () => ((await story(trigger, jobId)).includes('finished') ? true : undefined));
	return await story(trigger, jobId);
};

test('an update while a node waits and a trigger listens delivers the job once and reports each event once', async () => {
	const { sandbox } = session;
	sandbox.resetRecords();
	sandbox.configure({ gateOpen: false });
	const trigger = await publish(session, triggerWorkflow('through an update', BESIDE_A_GATE));
	await until('the socket', () => (sandbox.sockets('hosted').length === 1 ? true : undefined));
	const id = await session.start(delivered(gated(2)));
	await until('the wait', () => (sandbox.requests('GET /api/v2/jobs/:id').length > 0 ? true : undefined));
	const job = sandbox.jobs('hosted').at(-1)?.id;
	await trigger.until(2);

	registry.publish(tarball, NEW);
	expect(await rest.communityPackages()).toMatchObject([{ installedVersion: OLD, updateAvailable: NEW }]);
	expect(await rest.updatePackage(NAME)).toMatchObject({ installedVersion: NEW });
	expect((await rest.execution(id)).status).toBe('running');
	expect(await story(trigger, job)).toEqual([30, 40]);
	sandbox.resetRecords();
	sandbox.configure({ gateOpen: true });

	const execution = await rest.waitFor(id);
	expect(execution.status).toBe('success');
	expect(itemsOf(execution, 'comfyWaitForJob').map(({ json }) => json.status)).toEqual(['succeeded']);
	expect(itemsOf(execution, 'comfyDownloadOutputs')).toHaveLength(1);
	expect(sandbox.ledger.runs).toHaveLength(2);
	// What was at work stays what it was; the node after it is the new one.
	expect(agents('GET /api/v2/jobs/:id').toSorted()).toEqual([`${NAME}/${OLD}`, `${NAME}/${NEW}`]);
	const told = await wholeStory(trigger, job);
	expect(told).toEqual([...new Set(told)]);
	expect(told.at(-1)).toBe('finished');

	await trigger.deactivate();
	await until('no socket', () => (sandbox.sockets('hosted').length === 0 ? true : undefined));
	await trigger.activate();
	await until('the socket', () => (sandbox.sockets('hosted').length === 1 ? true : undefined));
	const next = await wholeStory(trigger, await submitJob(sandbox, gated(3)));
	expect(next).toEqual([...new Set(next)]);
	expect(await story(trigger, job)).toEqual(told);
	await trigger.deactivate();
});
