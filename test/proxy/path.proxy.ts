import type { Connection, Job, JobEvent } from '../../client';
import { chunksOf, collect, patterned } from '../client/support/bytes';
import { quickGraph, slowGraph } from '../client/support/graphs';
import { useSandbox } from '../client/support/sandbox';
import { until } from '../support/until';
import { documentedSettings, type Nginx, startNginx } from './support/nginx';

const PATH = '/comfy';
const { path: removesPath } = documentedSettings();

interface Front {
	name: string;
	settings: string;
	/** Where the API proxy responds. */
	mountPrefix?: string;
	keepLinksOnBaseOrigin?: boolean;
	/** Returns the address that nginx reports to the API proxy. The sandbox does not read it from a header. */
	reportedAddress?: (nginx: Nginx) => string;
	/** Returns the start of the links that the API proxy returns, from the addresses of both. */
	links: (nginx: string, proxy: string) => string;
}

const fronts: Front[] = [
	{
		name: 'that removes the path',
		settings: removesPath,
		links: (nginx) => `${nginx}/api/v2/`,
	},
	{
		name: 'that keeps the path',
		settings: removesPath.replace('8189/;', '8189;'),
		mountPrefix: PATH,
		links: (nginx) => `${nginx}${PATH}/api/v2/`,
	},
	{
		name: 'that removes the path and reports it',
		settings: removesPath,
		reportedAddress: ({ url }) => url + PATH,
		links: (nginx) => `${nginx}${PATH}/api/v2/`,
	},
	{
		name: 'that removes the path and does not forward the host',
		settings: removesPath.replace(/ *proxy_set_header Host .*\n/, ''),
		keepLinksOnBaseOrigin: true,
		links: (_, proxy) => `${proxy}/api/v2/`,
	},
];

describe.each(fronts)('the API proxy behind an nginx $name', ({ settings, mountPrefix, keepLinksOnBaseOrigin, reportedAddress, links }) => {
	const harness = useSandbox({ mountPrefix });
	let nginx: Nginx;
	let logged: number;
	let connection: Connection;
	beforeAll(async () => {
		nginx = await startNginx({ settings, server: new URL(harness.sandbox.urls.self_hosted_token_url).origin });
		harness.sandbox.configure({ linkOrigin: reportedAddress?.(nginx) ?? null });
	});
	beforeEach(() => {
		logged = nginx.requests().length;
		connection = harness.connect('self_hosted_token', { baseUrl: nginx.url + PATH, keepLinksOnBaseOrigin });
	});
	afterAll(async () => await nginx.stop());

	/** Waits until nginx has logged everything that the API proxy has received, and checks that nothing bypassed nginx. */
	const requestsThroughNginx = async (): Promise<string[]> => {
		const received = harness.sandbox.requests('* *', 'self_hosted_token').length;
		await until(() => nginx.requests().length - logged >= received);
		const requests = nginx.requests().slice(logged);
		expect(requests).toHaveLength(received);
		return requests.map((line) => line.replace(/^\d+ /, ''));
	};
	const followed = async (job: Job, onEvent?: (event: JobEvent) => Promise<void>): Promise<JobEvent[]> => {
		const events: JobEvent[] = [];
		for await (const event of connection.jobs.events(job)) {
			events.push(event);
			await onEvent?.(event);
		}
		return events;
	};

	it('returns the links that the other tests follow', async () => {
		const headers = { authorization: `Bearer ${harness.sandbox.keys.bearer}`, 'content-type': 'application/json' };
		const start = links(nginx.url, new URL(harness.sandbox.urls.self_hosted_token_url).origin);
		for (const color of [11, 12]) {
			const body = JSON.stringify({ workflow: quickGraph(color) });
			const response = await fetch(`${nginx.url}${PATH}/api/v2/jobs`, { method: 'POST', headers, body });
			const { id, urls } = (await response.json()) as { id: string; urls: object };
			expect(urls).toMatchObject({ self: `${start}jobs/${id}`, events: `${start}jobs/${id}/events`, cancel: `${start}jobs/${id}/cancel` });
		}
	});

	it('sends the events of two jobs, and the file of each', async () => {
		const jobs = await Promise.all([21, 22].map(async (color) => await connection.jobs.submit({ graph: quickGraph(color) })));
		const events = await Promise.all(jobs.map(async (job) => await followed(job)));
		expect(events.map((all) => all.at(-1))).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);

		const ended = await Promise.all(jobs.map(async (job) => await connection.jobs.get(job)));
		const urls = ended.map(({ outputs }) => outputs[0]?.url ?? '');
		const files = await Promise.all(urls.map(async (url) => await collect((await connection.assets.download({ url })).bytes)));
		expect(files.map((file) => file.subarray(1, 4).toString())).toEqual(['PNG', 'PNG']);
		expect(files[0]).not.toEqual(files[1]);

		const contents = urls.map((url) => `GET ${new URL(url).pathname}`);
		const perJob = jobs.flatMap(({ job_id: id }) => [`GET ${PATH}/api/v2/jobs/${id}/events`, `GET ${PATH}/api/v2/jobs/${id}`]);
		expect(await requestsThroughNginx()).toEqual(expect.arrayContaining([...perJob, ...contents]));
	});

	it('cancels two jobs while it sends their events', async () => {
		const jobs = await Promise.all([1, 2].map(async (seed) => await connection.jobs.submit({ graph: slowGraph(10_000, 50, seed) })));
		const events = await Promise.all(
			jobs.map(async (job) => {
				let isCanceled = false;
				return await followed(job, async () => {
					if (!isCanceled) await connection.jobs.cancel(job);
					isCanceled = true;
				});
			}),
		);
		expect(events.map((all) => all.at(-1))).toMatchObject([{ status: 'canceled' }, { status: 'canceled' }]);
		const cancels = jobs.map(({ job_id: id }) => `POST ${PATH}/api/v2/jobs/${id}/cancel`);
		expect(await requestsThroughNginx()).toEqual(expect.arrayContaining(cancels));
	});

	it('stores two files, and returns their records and bytes', async () => {
		const sent = [1_000, 2_000].map((length) => Buffer.concat([Buffer.from(crypto.randomUUID()), patterned(length)]));
		const uploads = await Promise.all(
			sent.map(async (bytes, index) => {
				const source = { open: () => chunksOf(bytes), sizeBytes: bytes.length, contentType: 'application/octet-stream' };
				return await connection.assets.upload(source, { filePath: `file-${index}.bin` });
			}),
		);
		const assets = await Promise.all(uploads.map(async ({ asset }) => await connection.assets.records?.get(asset.id ?? '')));
		const urls = assets.map((asset) => asset?.url ?? '');
		const files = await Promise.all(urls.map(async (url) => await collect((await connection.assets.download({ url })).bytes)));
		expect(files).toEqual(sent);
		const reads = uploads.flatMap(({ asset: { id } }) => ['', '/content'].map((rest) => `GET ${PATH}/api/v2/assets/${id}${rest}`));
		expect(await requestsThroughNginx()).toEqual(expect.arrayContaining(reads));
	});
});
