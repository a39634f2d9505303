import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import {
	type Execution,
	importCredentials,
	itemsOf,
	readExample,
	type SavedCredential,
	type WorkflowDocument,
} from '../../../scripts/n8nHost/documents';
import { projectRoot } from '../../../scripts/n8nHost/environment';
import { engineRequests, saveServer } from '../support/engine';
import { nodeOf, succeeded } from '../support/exampleRuns';
import { type S3Server, startS3 } from '../support/s3';
import { sendForm } from '../support/forms';
import { openSession, type Session } from '../support/session';
import { type Published, publish } from '../support/triggers';
import { until } from '../support/until';

const BUCKET = 'my-videos';
const STORE = 'Store Video';
const CLIP = join(projectRoot, 'sandbox/graphEngine/fixtures/clip.mp4');

let s3: S3Server;
beforeAll(async () => {
	s3 = await startS3();
});
afterAll(() => s3.close());

let session: Session;
let credentials: SavedCredential[];
beforeEach(async () => {
	s3.reset();
	session = await openSession();
	credentials = [...(await saveServer(session)), ...(await importCredentials(session.rest, [s3.credential]))];
});
afterEach(() => session.close());

async function readRecipe(): Promise<WorkflowDocument> {
	const recipe = await readExample('image-to-video');
	const store = nodeOf(recipe, STORE);
	expect(store.parameters.bucketName).toBe(BUCKET);
	store.credentials = { s3: { id: null, name: '' } };
	return recipe;
}

/** The recipe with short waits, and a video that ComfyUI finishes after its gate opens. */
async function readGatedRecipe(): Promise<WorkflowDocument> {
	const recipe = await readRecipe();
	const run = nodeOf(recipe, 'Comfy Run Workflow').parameters;
	const graph = JSON.parse(String(run.workflow)) as Record<string, { class_type: string; inputs: Record<string, unknown> }>;
	graph.gate = { class_type: 'SandboxGate', inputs: { image: graph['8']!.inputs.images } };
	graph['8']!.inputs.images = ['gate', 0];
	run.workflow = JSON.stringify(graph);
	run.options = { ...(run.options as object), maxWaitMinutes: 0.02 };
	nodeOf(recipe, 'Comfy Wait For Job').parameters.maxWaitMinutes = 0.02;
	nodeOf(recipe, 'Wait Before Next Check').parameters = { amount: 1, unit: 'seconds' };
	return recipe;
}

/** Publishes the recipe, and sends a photo with its form. */
async function sendPhoto(recipe: WorkflowDocument): Promise<Published> {
	const published = await publish(session, recipe, credentials);
	const photo = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#c03020' } })
		.png()
		.toBuffer();
	const sent = await sendForm(session, recipe, [new File([photo], 'photo.png', { type: 'image/png' })]);
	expect(sent.ok).toBe(true);
	return published;
}

const onlyJob = (): string => {
	const { runs } = session.sandbox.ledger;
	expect(runs).toHaveLength(1);
	return runs[0]!.jobId;
};

async function expectStoredVideo(): Promise<void> {
	const [[key, object], ...others] = [...s3.objects(BUCKET)] as [[string, { bytes: Buffer; contentType?: string }]];
	expect([key, others]).toEqual([expect.stringMatching(new RegExp(`^${onlyJob()}/photo-video_.*\\.mp4$`)), []]);
	expect(object.contentType).toBe('video/mp4');
	expect(object.bytes.equals(await readFile(CLIP))).toBe(true);
}

const countRuns = ({ data }: Execution, node: string): number => data.resultData.runData[node]?.length ?? 0;

test('stores exactly the bytes of the video, and frees the memory of ComfyUI once after the job', async () => {
	s3.createBucket(BUCKET);
	const published = await sendPhoto(await readRecipe());
	const [execution] = await published.until(1);
	await published.deactivate();
	expect(itemsOf(succeeded(execution!), STORE).map(({ json }) => json)).toEqual([{ success: true }]);
	await expectStoredVideo();
	expect(countRuns(execution!, 'Comfy Wait For Job')).toBe(0);
	expect(engineRequests(session, 'POST', '/upload/image')).toHaveLength(1);
	expect(session.sandbox.ledger.frees).toMatchObject([{ models: true, caches: true, unfinishedJobs: 0 }]);
});

test('checks a long job again until it ends, then stores its video and frees the memory once', async () => {
	const { sandbox } = session;
	s3.createBucket(BUCKET);
	sandbox.configure({ gateOpen: false });
	const published = await sendPhoto(await readGatedRecipe());
	const [running] = await until('the execution', async () => {
		const started = await session.rest.executions(published.workflow.id);
		return started.length > 0 ? started : undefined;
	});
	await until('the end of the first check of the job', async () =>
		countRuns(await session.rest.execution(running!.id), 'Comfy Wait For Job') >= 1 ? true : undefined,
	);
	expect(s3.objects(BUCKET).size).toBe(0);
	sandbox.configure({ gateOpen: true });
	const [execution] = await published.until(1);
	await published.deactivate();

	const jobId = onlyJob();
	expect(itemsOf(succeeded(execution!), 'Comfy Run Workflow', 1).map(({ json }) => json.job_id)).toEqual([jobId]);
	expect(countRuns(execution!, 'Wait Before Next Check')).toBeGreaterThan(1);
	await expectStoredVideo();
	expect(sandbox.ledger.frees).toMatchObject([{ unfinishedJobs: 0 }]);
});

test('fails clearly if the bucket does not exist, and a retry stores the video of the same job', async () => {
	const published = await sendPhoto(await readRecipe());
	const [failed] = await published.until(1);
	await published.deactivate();
	expect(failed?.status).toBe('error');
	const { error, lastNodeExecuted } = failed!.data.resultData;
	expect([lastNodeExecuted, error?.message]).toEqual([STORE, 'The resource you are requesting could not be found']);
	expect(error?.description).toContain('NoSuchBucket');
	const jobId = onlyJob();

	s3.createBucket(BUCKET);
	succeeded(await session.rest.execution(await session.rest.retry(failed!.id)));
	expect(onlyJob()).toBe(jobId);
	await expectStoredVideo();
});
