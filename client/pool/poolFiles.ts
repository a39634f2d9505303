import type {
	AssetMasks,
	AssetStore,
	Download,
	DownloadSource,
	ImageConversions,
	UploadOptions,
	UploadResult,
	UploadSource,
} from '../ports/files';
import { toFileUrl } from '../comfyui/outputs';
import type { EngineConnection } from '../connection/connection';
import { textOr } from '../json/decode';
import { contentTypeOf } from '../files/contentTypes';
import { toAnnotatedName } from '../files/fileNames';
import type { ApiGraph, ApiGraphNode, Asset, AssetReference, FileReference, Job, JobOutput } from '../ports/job';
import type { CallOptions } from '../ports/jobService';
import { comparableFile } from '../recovery/compareGraphs';
import { Cache } from '../cache/cache';
import { valueOrThrow } from '../async/outcome';
import { isRefusal } from '../contact/failures';
import { askFirst, type PoolLimits, type PoolServer, repeatWhileSilent } from './poolServer';

/** An older copy is made again when it is needed. */
const MOST_COPIES = 1_000;

/** A file on one of the servers. */
interface LocatedFile {
	server: PoolServer;
	file: FileReference;
}

/**
 * The files of a pool. Each file is on one server, so its reference is an address. When a job uses it on another server, the file is
 * copied.
 */
export class PoolFiles implements AssetStore {
	readonly masks: AssetMasks;
	readonly conversions: ImageConversions = {
		download: async (url, format, options = {}) => {
			const { conversions } = await this.openFor(url, options);
			return await conversions?.download(url, format, options);
		},
	};
	/** The names of copied files, by target and address. */
	private readonly copies = new Cache<string, Promise<AssetReference>>({ mostEntries: MOST_COPIES });

	/** @param limits its contact limits how long an upload is repeated while no server responds, and a download while the server of the file does not. */
	constructor(
		private readonly servers: readonly PoolServer[],
		private readonly limits: PoolLimits,
	) {
		this.masks = {
			upload: async (source, { original, ...options }) => {
				const located = this.locate(original.filename);
				const servers = located === undefined ? this.servers : [located.server];
				return await this.uploadToFirst(servers, options, async ({ assets }) => {
					if (assets.masks === undefined) throw new Error('An engine has masks');
					return await assets.masks.upload(source, { ...options, original: located?.file ?? original });
				});
			},
		};
	}

	/** Uploads to the first server that accepts the file. The server of the job is not known yet. */
	async upload(source: UploadSource, options: UploadOptions): Promise<UploadResult> {
		return await this.uploadToFirst(this.servers, options, async ({ assets }) => await assets.upload(source, options));
	}

	reference({ name, subfolder, type, server }: Asset): AssetReference {
		const file = { filename: textOr(name, ''), subfolder: textOr(subfolder, ''), type: textOr(type, 'input') };
		return toViewUrl(textOr(server, this.servers[0]?.address ?? ''), file);
	}

	async download(source: DownloadSource, options: CallOptions = {}): Promise<Download> {
		const assets = await this.openFor(source.url, options);
		return await assets.download({ ...source, patienceMs: this.limits.contact.waitMs }, options);
	}

	/** Returns the files of the server that has this one. */
	private async openFor(url: string, options: CallOptions): Promise<AssetStore> {
		const server = this.serverOf(url) ?? this.servers[0];
		if (server === undefined) throw new Error('A pool has at least one server');
		return (await server.open(options)).assets;
	}

	/** Returns the graph with the names that the files have on this server. Copies files of other servers to it. */
	async localize(graph: ApiGraph, target: PoolServer, options: CallOptions): Promise<ApiGraph> {
		const located = new Map<unknown, LocatedFile>();
		for (const value of Object.values(graph).flatMap(({ inputs }) => Object.values(inputs))) {
			const file = this.locate(value);
			if (file !== undefined) located.set(value, file);
		}
		const names = await Promise.all([...located].map(async ([text, file]) => [text, await this.nameOn(target, file, options)] as const));
		const nameOf = new Map<unknown, unknown>(names);
		return mapInputs(graph, (value) => nameOf.get(value) ?? value);
	}

	/** Returns the graph with files in place of their addresses, for comparisons: each server has its own name for a file. */
	withoutPlaces(graph: ApiGraph): ApiGraph {
		return mapInputs(graph, (value) => {
			const located = this.locate(value);
			return located === undefined ? value : comparableFile(located.file.filename);
		});
	}

	/** @returns undefined if the value is not the address of a file on one of the servers. */
	private locate(value: unknown): LocatedFile | undefined {
		if (typeof value !== 'string') return undefined;
		const server = this.serverOf(value);
		const file = server && parseViewUrl(value);
		return file && { server, file };
	}

	/** The address of a server may begin with the address of another one. */
	private serverOf(url: string): PoolServer | undefined {
		const matching = this.servers.filter(({ address }) => url.startsWith(`${address}/`));
		return matching.sort((one, other) => other.address.length - one.address.length)[0];
	}

	private async nameOn(target: PoolServer, { server, file }: LocatedFile, options: CallOptions): Promise<AssetReference> {
		if (server === target) return toAnnotatedName(file);
		const url = toViewUrl(server.address, file);
		return await this.copies.getOrLoad(`${target.address} ${url}`, async () => await copyFile(server, target, file, options));
	}

	/** The asset names the server that stores it. */
	private async uploadToFirst(
		servers: readonly PoolServer[],
		options: CallOptions,
		upload: (connection: EngineConnection) => Promise<UploadResult>,
	): Promise<UploadResult> {
		const attempt = async () => await askFirst(servers, upload, isRefusal, options);
		const { server, value } = await repeatWhileSilent(this.limits, attempt, options);
		return { ...value, asset: { ...value.asset, server: server.address } };
	}
}

/** Returns the graph with the values that `change` returns for those of its inputs. */
const mapInputs = (graph: ApiGraph, change: (value: unknown) => unknown): ApiGraph => {
	const inputsOf = ({ inputs }: ApiGraphNode) => Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, change(value)]));
	return Object.fromEntries(Object.entries(graph).map(([id, node]) => [id, { ...node, inputs: inputsOf(node) }]));
};

/** Streams a file from one server to another. */
async function copyFile(from: PoolServer, to: PoolServer, file: FileReference, options: CallOptions): Promise<AssetReference> {
	const { assets: target } = await to.open(options);
	const url = toViewUrl(from.address, file);
	const contentType = contentTypeOf(file.filename);
	const bytes = {
		contentType,
		open: async () => {
			const download = await from.ask(async ({ assets }) => await assets.download({ url, contentType }, options), options);
			return valueOrThrow(download).bytes;
		},
	};
	const { asset } = await target.upload(bytes, { ...options, filePath: file.filename });
	return target.reference(asset);
}

/** Returns the same address as the connection to this server alone. */
const toViewUrl = (address: string, file: FileReference): string => toFileUrl({ url: (path) => new URL(`${address}/api${path}`) }, file);

function parseViewUrl(text: string): FileReference | undefined {
	if (!URL.canParse(text)) return undefined;
	const { pathname, searchParams } = new URL(text);
	const filename = searchParams.get('filename');
	if (!pathname.endsWith('/view') || filename === null || filename === '') return undefined;
	return { filename, subfolder: searchParams.get('subfolder') ?? '', type: searchParams.get('type') ?? 'output' };
}

/** Returns the output with the reference that all servers of the pool understand. */
export const withPoolReference = (output: JobOutput): JobOutput =>
	output.url === null || output.reference === null || output.reference === undefined ? output : { ...output, reference: output.url };

/** Returns the job of this server as the pool reports it. */
export const withServer = (job: Job, { address }: Pick<PoolServer, 'address'>): Job => ({
	...job,
	server: address,
	outputs: job.outputs.map(withPoolReference),
});
