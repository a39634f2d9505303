import { randomInt } from 'node:crypto';
import type { Sandbox, Surface } from '../../../sandbox';
import {
	type ApiGraph,
	type Asset,
	type AssetStore,
	type FileReference,
	type Job,
	type JobFeed,
	type JobService,
	type MadeBy,
	type ServerControl,
	type UploadSource,
	waitForJob,
	type WorkflowLibrary,
} from '../../../client';
import { failingGraph } from '../../client/support/graphs';
import { picture, pngSource } from '../../client/support/pictures';
import { RETIRED } from '../../support/retiredNodes';
import type { Contract } from '../contract';

/** The methods of an object and of those it holds: `jobs.submit`. `contactOf` sends nothing. */
export type MethodsOf<Held> = {
	[Name in Exclude<keyof Held & string, 'contactOf'>]-?: Exclude<Held[Name], undefined> extends (...args: never) => unknown
		? Name
		: Exclude<Held[Name], undefined> extends AbortSignal
			? never
			: Exclude<Held[Name], undefined> extends object
				? `${Name}.${MethodsOf<Exclude<Held[Name], undefined>>}`
				: never;
}[Exclude<keyof Held & string, 'contactOf'>];

export interface OperationTable<Method extends string> {
	/** Every description that this client's requests are of. */
	contracts: Contract[];
	surfaces: readonly Surface[];
	/** Operation → the reason why the client does not call it. */
	uncalled: Record<string, string>;
	/** Calls every method, one by one. */
	calls(sandbox: Sandbox): Promise<MethodCalls<Method>>;
}

export interface MethodCalls<Method extends string> {
	calls: Record<Method, () => Promise<unknown>>;
	close(): Promise<void>;
}

/** A file of such bytes. */
export const uploadOf = (text: string): UploadSource => pngSource(Buffer.from(text));

export const newPicture = async (): Promise<UploadSource> => pngSource(await picture(randomInt(0xffffff), 8));

export const madeOf = (node: string): MadeBy => ({ workflow_id: 'flow', workflow_name: 'A flow', execution_id: '7', node, item: 0 });

export async function finished(jobs: JobService, graph: ApiGraph): Promise<Job> {
	const { job_id } = await jobs.submit({ graph });
	return (await waitForJob(jobs, job_id, { mode: 'polling', maxWaitMs: 15_000 })).job;
}

/** Outputs of several kinds, two of one node among them. */
export const everyKind = (): ApiGraph => ({
	image: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 2, color: randomInt(0xffffff) } },
	saveImages: { class_type: 'SaveImage', inputs: { images: ['image', 0], filename_prefix: 'i' } },
	tone: { class_type: 'SandboxTone', inputs: { frequency: 440, duration: 0.1 } },
	saveAudio: { class_type: 'SaveAudio', inputs: { audio: ['tone', 0], filename_prefix: 'a' } },
	video: { class_type: 'CreateVideo', inputs: { images: ['image', 0], fps: 8 } },
	saveVideo: { class_type: 'SaveVideo', inputs: { video: ['video', 0], filename_prefix: 'v', format: 'auto', codec: 'auto' } },
	saveText: { class_type: 'SaveText', inputs: { text: 'text', filename_prefix: 't' } },
});

/** Follows until it is connected, then no longer. */
async function connected(feed: JobFeed): Promise<void> {
	const leaving = new AbortController();
	await feed.follow({ onConnect: () => leaving.abort(), onEvent: () => undefined, onTrouble: () => undefined }, leaving.signal);
}

export const uncalledOfLibrary = {
	writeUserFile: 'no files of users are changed',
	deleteUserFile: 'no files of users are changed',
};

/** What the connections to an account over v1 and to an engine have in common. */
export interface ComfyConnection {
	jobs: JobService;
	assets: AssetStore;
	control: ServerControl;
	feed: JobFeed;
	library: WorkflowLibrary;
	verifyAccess(): Promise<unknown>;
	close(): Promise<void>;
}

/** What such a server has before its methods are called. It also keeps the workflow `saved.json`. */
export interface Stored {
	sandbox: Sandbox;
	job: Job;
	asset: Asset;
	/** The same asset as an image that a mask belongs to. */
	original: FileReference;
}

export function comfyCalls(
	{ jobs, assets, control, feed, library, verifyAccess, close }: ComfyConnection,
	{ sandbox, job, asset, original }: Stored,
) {
	return {
		'jobs.get': async () => {
			for (const graph of [everyKind(), failingGraph()]) await finished(jobs, graph);
		},
		'jobs.list': async () => await jobs.list({ limit: 1, cursor: (await jobs.list({ limit: 1 })).nextCursor }),
		'assets.upload': async () => await assets.upload(await newPicture(), { filePath: 'more.png', use: 'temp', overwrite: true }),
		'assets.masks.upload': async () => await assets.masks?.upload(await newPicture(), { filePath: 'mask.png', original }),
		'assets.reference': async () => await Promise.resolve(assets.reference(asset)),
		'assets.download': async () => {
			for await (const chunk of (await assets.download({ url: job.outputs[0]?.url ?? '' })).bytes) void chunk;
		},
		'control.queue': async () => await control.queue(),
		'control.deleteFromQueue': async () => await control.deleteFromQueue([job.job_id]),
		'control.interrupt': async () => await control.interrupt(),
		'control.nodeDefinitions': async () => {
			await control.nodeDefinitions();
			await control.nodeDefinitions({ classes: ['SaveImage', 'An unknown one'] });
		},
		'control.nodeReplacements': async () => {
			await control.nodeReplacements();
			sandbox.configure({ nodeReplacements: RETIRED });
			await control.nodeReplacements();
			sandbox.configure({ nodeReplacements: null });
		},
		'feed.follow': async () => await connected(feed),
		'feed.setTotal': async () => await Promise.resolve(feed.setTotal(job.job_id, 2)),
		'library.list': async () => await library.list(),
		'library.read': async () => {
			await library.read('saved.json');
			await expect(library.read('folder/none & all.json')).rejects.toMatchObject({ code: 'workflow_not_found' });
		},
		'library.templates': async () => await library.templates(),
		'library.template': async () => {
			for (const { name } of (await library.templates()).slice(0, 2)) await library.template(name);
			await expect(library.template('none')).rejects.toMatchObject({ code: 'template_not_found' });
			await expect(library.template('pack/none')).rejects.toMatchObject({ code: 'template_not_found' });
		},
		'library.savedBlueprints': async () => await library.savedBlueprints(),
		'library.blueprints': async () => await library.blueprints(),
		'library.blueprint': async () => {
			for (const { name } of await library.blueprints()) await library.blueprint(name);
			await expect(library.blueprint('none')).rejects.toMatchObject({ code: 'blueprint_not_found' });
			await expect(library.blueprint('subgraphs/none')).rejects.toMatchObject({ code: 'blueprint_not_found' });
		},
		verifyAccess: async () => await verifyAccess(),
		close: async () => await close(),
	};
}
