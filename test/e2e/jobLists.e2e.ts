import { type EditedNode, itemsOf, type SavedCredential } from '../../scripts/n8nHost';
import { sandboxCredentials } from '../../scripts/sandboxCredentials';
import { quick } from './support/graphs';
import { openSession, type Session } from './support/session';
import { submitJob } from './support/submitJob';
import { listening, publish } from './support/triggers';
import { until } from './support/until';
import { chain, comfy } from './support/workflows';

let session: Session;
let ofDeployment: SavedCredential;
beforeAll(async () => {
	session = await openSession();
	const { sandbox, rest } = session;
	const [account] = sandboxCredentials(sandbox);
	if (account === undefined) throw new Error('No credential of the account');
	ofDeployment = await rest.createCredential({
		...account,
		name: 'Comfy API (deployment)',
		data: { ...account.data, baseUrl: sandbox.urls.deployment },
	});
});
afterAll(() => session.close());

const hasEnded = (id: string) => session.sandbox.job(id)?.status === 'succeeded';
async function ended(surface: 'hosted' | 'deployment' = 'deployment'): Promise<string> {
	const id = await submitJob(session.sandbox, quick, surface);
	await until('the end of a job', () => hasEnded(id) || undefined);
	return id;
}
const looks = () => session.sandbox.requests('GET /api/v2/jobs', 'deployment').length;
const lookedAgain = async (): Promise<void> => {
	const before = looks();
	await until('another look at the list', () => looks() > before || undefined);
};

test('a trigger on a deployment with 200 finished jobs starts no execution for them, and one for the next job', async () => {
	const past = await Promise.all(Array.from({ length: 200 }, async () => await submitJob(session.sandbox, quick, 'deployment')));
	await until('the end of all jobs', () => past.every(hasEnded) || undefined);
	const trigger = await publish(
		session,
		listening('all jobs of a deployment', { source: 'jobs', jobsToWatch: 'all', deliver: 'onlyWhenFinished' }),
		[ofDeployment],
	);
	await until('the first look', () => looks() > 0 || undefined);
	await lookedAgain();
	const next = await ended();
	await trigger.until(1);
	await lookedAgain();
	expect((await trigger.told()).map(({ job_id }) => job_id)).toEqual([next]);
	await trigger.deactivate();
});

type Locating = 'comfyWaitForJob' | 'comfyGetWorkflow' | 'comfyDownloadOutputs' | 'comfyManageJobs';

/** What the editor sends to see the list behind a Job ID. */
function edited(type: Locating, { id, name }: SavedCredential, parameters: EditedNode['node']['parameters'] = {}): EditedNode {
	const node = comfy(
		type,
		{ jobId: { __rl: true, mode: 'list', value: '' }, options: {}, ...parameters },
		{ credentials: { comfyApi: { id, name } } },
	);
	return { parameter: 'jobId', methodName: 'searchJobs', node };
}

test.each(['comfyWaitForJob', 'comfyGetWorkflow', 'comfyDownloadOutputs', 'comfyManageJobs'] as const)(
	'B11: %s lists the jobs of a deployment in the editor, newest first',
	async (type) => {
		const [older, newer] = [await ended(), await ended()];
		const { results } = await session.rest.listResults(edited(type, ofDeployment));
		expect(results.slice(0, 2).map(({ value }) => value)).toEqual([newer, older]);
		expect(results[0]?.name).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d · succeeded/);
		const { results: found } = await session.rest.listResults(edited(type, ofDeployment), { filter: older.slice(0, 18) });
		expect(found.map(({ value }) => value)).toEqual([older]);
	},
);

test('the hosted service lists no jobs over v2, and lists them over v1', async () => {
	const account = session.credentials.find(({ type }) => type === 'comfyApi') as SavedCredential;
	const job = await ended('hosted');
	const { results } = await session.rest.listResults(edited('comfyWaitForJob', account));
	expect(results).toEqual([{ name: expect.stringMatching(/Set Interface to v1/), value: '' }]);
	const overV1 = await session.rest.listResults(edited('comfyWaitForJob', account, { options: { interface: 'v1' } }));
	expect(overV1.results[0]?.value).toBe(job);
});

test('Get Many finds jobs of other programs, and By ID reads one of them', async () => {
	const job = await ended('hosted');
	const execution = await session.execute(
		chain(
			'which jobs are there',
			comfy('comfyManageJobs', {
				resource: 'job',
				operation: 'getAll',
				returnAll: false,
				limit: 1,
				filters: { status: ['succeeded'] },
				options: { interface: 'v1' },
			}),
			comfy('comfyGetWorkflow', { jobId: { __rl: true, mode: 'id', value: '={{ $json.job_id }}' } }),
		),
	);
	expect(execution.status).toBe('success');
	expect(itemsOf(execution, 'comfyManageJobs').map(({ json }) => json)).toMatchObject([
		{ job_id: job, interface: 'v1', status: 'succeeded' },
	]);
	expect(itemsOf(execution, 'comfyGetWorkflow').map(({ json }) => json)).toMatchObject([{ job_id: job }]);
});
