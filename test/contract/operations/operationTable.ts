import type { Sandbox, Surface } from '../../../sandbox';
import {
	type ApiGraph,
	type Job,
	type JobFeed,
	type JobService,
	type MadeBy,
	type UploadSource,
	waitForJob,
	type WorkflowLibrary,
} from '../../../client';
import { freshPicture } from '../v1/hosted';
import type { Requests } from './requests';

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

/** The methods that call an operation, or the reason why none does. */
export type Callers<Method extends string> = readonly Method[] | { uncalled: string };

export interface OperationTable<Method extends string> {
	/** Every description that this client's requests are of. */
	contracts: Record<string, Requests>;
	surfaces: readonly Surface[];
	/** Description → operation → who calls it: equal to what is described, and to what is sent. */
	operations: Record<string, Record<string, Callers<Method>>>;
	/** Calls every method, one by one. */
	calls(sandbox: Sandbox): Promise<MethodCalls<Method>>;
}

export interface MethodCalls<Method extends string> {
	calls: Record<Method, () => Promise<unknown>>;
	close(): Promise<void>;
}

/** A file of such bytes. */
export const uploadOf = (text: string): UploadSource => sourceOf(Buffer.from(text));

/** A new one. */
export const picture = async (): Promise<UploadSource> => sourceOf(await freshPicture());

const sourceOf = (bytes: Uint8Array): UploadSource => ({
	open: async function* () {
		yield bytes;
	},
	sizeBytes: bytes.byteLength,
	contentType: 'image/png',
});

export const madeOf = (node: string): MadeBy => ({ workflow_id: 'flow', workflow_name: 'A flow', execution_id: '7', node, item: 0 });

export async function finished(jobs: JobService, graph: ApiGraph): Promise<Job> {
	const { job_id } = await jobs.submit({ graph });
	return (await waitForJob(jobs, job_id, { mode: 'polling', maxWaitMs: 15_000 })).job;
}

/** Follows until it is connected, then no longer. */
export async function connected(feed: JobFeed): Promise<void> {
	const leaving = new AbortController();
	await feed.follow({ onConnect: () => leaving.abort(), onEvent: () => undefined, onTrouble: () => undefined }, leaving.signal);
}

export type LibraryMethod = `library.${'list' | 'read' | 'templates' | 'template'}`;

export const libraryOperations: Record<string, Callers<LibraryMethod>> = {
	listUserFiles: ['library.list'],
	readUserFile: ['library.read'],
	writeUserFile: { uncalled: 'no files of users are changed' },
	deleteUserFile: { uncalled: 'no files of users are changed' },
	getUsers: ['library.list'],
	getTemplateIndex: ['library.templates'],
	getTemplate: ['library.template'],
	listPackTemplates: ['library.templates'],
	getPackTemplate: ['library.template'],
};

/** Of a server that keeps `saved.json`. */
export const libraryCalls = (sandbox: Sandbox, library: WorkflowLibrary): Record<LibraryMethod, () => Promise<unknown>> => ({
	'library.list': async () => {
		// A server with several users answers 500 to a request without a user.
		sandbox.inject({ on: 'GET /api/userdata', answer: { status: 500 } });
		await library.list();
	},
	'library.read': async () => {
		await library.read('saved.json');
		await expect(library.read('folder/none & all.json')).rejects.toMatchObject({ code: 'workflow_not_found' });
	},
	'library.templates': async () => await library.templates(),
	'library.template': async () => {
		await expect(library.template('none')).rejects.toMatchObject({ code: 'template_not_found' });
		await expect(library.template('pack/none')).rejects.toMatchObject({ code: 'template_not_found' });
	},
});
