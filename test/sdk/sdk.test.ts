/** The public client, unchanged and in a process of its own, believes the sandbox to be the service. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { startSandbox, type Sandbox, type ServiceSurface } from '../../sandbox';

interface Report {
	upload: { id: string; createdNew: boolean[]; fetchedId: string; fetchedName: string };
	runToTheEnd: {
		status: string;
		events: string[];
		output: Record<string, string>;
		bytes: string;
		firstFive: string;
		url: string;
		workflow: { format: string; workflow: object };
	};
	cancel: { id: string; status: string; outputs: number };
	fail: { isJobFailed: boolean; error: Record<string, unknown> };
	refuse: { invalid: Record<string, unknown>; unknown: Record<string, unknown> };
}

const SURFACES: Array<{
	surface: ServiceSurface;
	url: 'hosted' | 'deployment' | 'self_hosted' | 'self_hosted_token_url';
	key?: 'apiKey' | 'bearer';
}> = [
	{ surface: 'hosted', url: 'hosted', key: 'apiKey' },
	{ surface: 'deployment', url: 'deployment', key: 'apiKey' },
	{ surface: 'self_hosted', url: 'self_hosted' },
	{ surface: 'self_hosted_token', url: 'self_hosted_token_url', key: 'bearer' },
];

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(async () => await sandbox.close());

describe.each(SURFACES)('@comfyorg/sdk on $surface', ({ surface, url, key }) => {
	const selfHosted = surface.startsWith('self_hosted');
	const rgb = randomBytes(24 * 16 * 3);
	let report: Report;

	beforeAll(async () => {
		const picture = await sharp(rgb, { raw: { width: 24, height: 16, channels: 3 } })
			.png()
			.toBuffer();
		const settings = JSON.stringify({ apiKey: key && sandbox.keys[key], picture: picture.toString('base64') });
		const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, 'scenario.mjs')], {
			env: { ...process.env, COMFY_BASE_URL: sandbox.urls[url], SCENARIO_SETTINGS: settings },
		});
		report = JSON.parse(stdout) as Report;
	}, 30_000);

	test('uploads once and finds the same bytes again', () => {
		expect(report.upload).toMatchObject({ createdNew: [true, false], fetchedId: report.upload.id, fetchedName: 'random.png' });
		expect(sandbox.requests('POST /api/v2/assets', surface)).toHaveLength(1);
		expect(sandbox.requests('POST /api/v2/assets/from-hash', surface)).toHaveLength(2);
	});

	test('submits, follows the job live to its end, and reads the workflow behind it', () => {
		const { events, status, workflow } = report.runToTheEnd;
		expect(events).toEqual(expect.arrayContaining(['progress', 'preview', 'succeeded', ...(selfHosted ? [] : ['outputReady'])]));
		expect([events.at(-1), status, workflow.format]).toEqual(['succeeded', 'succeeded', 'api']);
		expect(workflow.workflow).toMatchObject({ load: { class_type: 'LoadImage' }, save: { class_type: 'SaveImage' } });
	});

	test('downloads exactly the inverted picture, and a range of it', async () => {
		const { output, bytes, firstFive } = report.runToTheEnd;
		expect(output).toEqual({ name: 'inverted_00001_.png', type: 'image', contentType: 'image/png', nodeId: 'save' });
		const file = Buffer.from(bytes, 'base64');
		expect(await sharp(file).removeAlpha().raw().toBuffer()).toEqual(Buffer.from(rgb.map((value) => 255 - value)));
		expect(Buffer.from(firstFive, 'base64')).toEqual(file.subarray(0, 5));
	});

	test(selfHosted ? 'gets bytes inline' : 'is redirected to storage, and takes no credential there', () => {
		const contents = sandbox.requests('GET /api/v2/assets/:id/content', surface);
		expect(new Set(contents.map(({ status }) => status))).toEqual(new Set(selfHosted ? [200, 206] : [302]));
		expect(report.runToTheEnd.url.startsWith(selfHosted ? sandbox.urls[url] : sandbox.urls.storage)).toBe(true);
		const storage = sandbox.requests('GET *', 'storage');
		if (!selfHosted) expect(storage.length).toBeGreaterThan(0);
		expect(storage.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
	});

	test('cancels a running job, and nothing executes after it', () => {
		expect(report.cancel).toMatchObject({ status: 'canceled', outputs: 0 });
		const { executedNodes } = sandbox.ledger;
		expect(executedNodes.filter(({ jobId }) => jobId === report.cancel.id).map(({ nodeId }) => nodeId)).toEqual(['image', 'sample']);
	});

	test('tells a failed job, an unknown node class and an unknown job by their codes', () => {
		const error = {
			code: 'node_execution_error',
			node_id: 'fail',
			class_type: 'SandboxFail',
			message: expect.stringContaining('out of memory'),
		};
		expect(report.fail).toMatchObject({ isJobFailed: true, error });
		const node_errors = selfHosted ? {} : { magic: expect.anything() };
		expect(report.refuse.invalid).toMatchObject({ isInvalidWorkflow: true, status: 422, details: { node_errors } });
		expect(report.refuse.unknown).toEqual({ isNotFound: true, status: 404 });
	});
});
