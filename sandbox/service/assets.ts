/** The assets of one surface, and how graphs refer to them: as `{"__type":"core/ASSET","info":{"id"}}` or by file name. */
import { randomUUID } from 'node:crypto';
import type { Blob, BlobStore, StoredFile } from '../storage/blobs';
import type { FileLocation } from '../storage/fileLocations';
import type { AccountName } from '../vocabulary';
import type { ApiGraph } from '../graphEngine/types';
import { isRecord } from '../json';

export interface AssetRecord extends StoredFile {
	id: string;
	account: AccountName;
	filePath: string | null;
	/** Epoch milliseconds, as all times here. */
	createdAt: number;
	/** Null: kept for good. */
	expiresAt: number | null;
	/** The job that made it; null for uploads. */
	jobId: string | null;
}

type NewAsset = Pick<AssetRecord, 'account' | 'blob' | 'contentType' | 'filePath'> & Partial<AssetRecord>;

/** The location of a proxy's upload in its engine's input folder. */
const belowInput = (filePath: string): string => filePath.replace(/^input\//, '');

export class AssetRecords {
	readonly #records = new Map<string, AssetRecord>();
	/** Bytes stay known after their last record is deleted. */
	readonly #known = new Map<string, StoredFile>();

	/** Output id → file name. */
	readonly #inEngine = new Map<string, string>();

	constructor(private readonly options: { selfHosted: boolean }) {}

	mint(asset: NewAsset): AssetRecord {
		const made = asset.jobId !== undefined && asset.jobId !== null;
		const id = made && this.options.selfHosted ? encodeId({ j: asset.jobId ?? '', o: randomUUID() }) : randomUUID();
		const record: AssetRecord = { id, createdAt: Date.now(), expiresAt: null, jobId: null, ...asset };
		this.#records.set(record.id, record);
		// The self-hosted proxy never hashes outputs of its engine.
		if (record.blob.hash !== null && !(made && this.options.selfHosted)) {
			const name = `${record.account} ${record.blob.hash}`;
			if (!this.#known.has(name)) this.#known.set(name, { blob: record.blob, contentType: record.contentType });
		}
		return record;
	}

	/** The record, unless it belongs to another account or has expired. */
	get(account: AccountName, id: string): AssetRecord | undefined {
		const record = this.#records.get(id);
		if (record === undefined || record.account !== account) return undefined;
		return record.expiresAt === null || record.expiresAt > Date.now() ? record : undefined;
	}

	/** Gives an output of the proxy's engine its final id, which contains the location of the file in the engine. */
	setOutputLocation(record: AssetRecord, { folder, subfolder, name }: FileLocation): void {
		this.#records.delete(record.id);
		record.id = encodeId({ j: record.jobId, f: name, s: subfolder, t: folder });
		this.#inEngine.set(record.id, subfolder === '' ? name : `${subfolder}/${name}`);
		this.#records.set(record.id, record);
	}

	/**
	 * The name that the proxy sends to its engine: the path in the input folder. For outputs it sends only the file name, which
	 * the engine then looks for in the wrong folder (proxy 0.1.6).
	 */
	nameInEngine(account: AccountName, id: string): string | undefined {
		const filePath = this.get(account, id)?.filePath ?? undefined;
		return this.#inEngine.get(id) ?? (filePath === undefined ? undefined : belowInput(filePath));
	}

	/** Whether the engine cannot find this output by the name that the proxy sends. */
	isMisnamed(id: string): boolean {
		return this.#inEngine.has(id);
	}

	/** The newest record with this name. An engine knows an upload only by its whole path in the input folder. */
	findByName(account: AccountName, name: string): AssetRecord | undefined {
		const isNamed = (filePath: string): boolean =>
			this.options.selfHosted ? belowInput(filePath) === name : filePath === name || filePath.endsWith(`/${name}`);
		return this.list(account).findLast(({ filePath }) => filePath !== null && isNamed(filePath));
	}

	/** The newest record with a content-addressed name. The self-hosted proxy has no such names. */
	findByContent(account: AccountName, name: string): AssetRecord | undefined {
		const content = name.replace(/\.[^.]*$/, '');
		return this.options.selfHosted
			? undefined
			: this.list(account).findLast(({ blob }) => content === (blob.hash?.replace('blake3:', '') ?? blob.id));
	}

	/** The names of an account's uploads, as its engine lists them. */
	uploadNames(account: AccountName): string[] {
		const shown = this.options.selfHosted ? belowInput : (filePath: string) => filePath;
		return this.list(account).flatMap(({ jobId, filePath }) => (jobId === null && filePath !== null ? [shown(filePath)] : []));
	}

	/** Bytes that this account has uploaded before. */
	findBytes(account: AccountName, hash: string): StoredFile | undefined {
		return this.#known.get(`${account} ${hash}`);
	}

	/** The first upload of these bytes, with this path if one is given. */
	findUpload(account: AccountName, hash: string, filePath?: string | null): AssetRecord | undefined {
		return this.list(account).find(
			(record) => record.jobId === null && record.blob.hash === hash && (filePath === undefined || record.filePath === filePath),
		);
	}

	delete(id: string): void {
		this.#records.delete(id);
	}

	/** All records of an account that have not expired, oldest first. */
	list(account: AccountName): AssetRecord[] {
		return [...this.#records.values()].filter(({ id }) => this.get(account, id) !== undefined);
	}
}

/** The self-hosted proxy has output ids that are not UUIDs, and longer. */
const encodeId = (facts: Record<string, string | null>): string => `asset_${Buffer.from(JSON.stringify(facts)).toString('base64url')}`;

interface AssetUse {
	nodeId: string;
	field: string;
	/** Undefined when the reference has no usable id. */
	assetId: string | undefined;
}

/** Finds a file by its name in a graph. */
export type FindFile = (name: string) => Blob | undefined;

/** Every asset reference in a graph, in order. */
export function assetUses(graph: ApiGraph): AssetUse[] {
	const uses: AssetUse[] = [];
	for (const [nodeId, node] of Object.entries(graph)) {
		for (const [field, value] of Object.entries(node.inputs)) {
			visitReferences(value, (reference) => {
				uses.push({ nodeId, field, assetId: referencedId(reference) });
				return reference;
			});
		}
	}
	return uses;
}

/** Replaces every asset reference with a file name, as the self-hosted proxy does for its engine. */
export function withFileNames(graph: ApiGraph, nameOf: (assetId: string) => string): ApiGraph {
	const nodes = Object.entries(graph).map(([nodeId, node]) => {
		const inputs = Object.entries(node.inputs).map(([field, value]) => [
			field,
			visitReferences(value, (reference) => nameOf(referencedId(reference) ?? '')),
		]);
		return [nodeId, { ...node, inputs: Object.fromEntries(inputs) as Record<string, unknown> }];
	});
	return Object.fromEntries(nodes) as ApiGraph;
}

interface InputSources {
	account: AccountName;
	assets: AssetRecords;
	findFile: FindFile;
}

/** @returns undefined if the file does not exist. */
export function findInputBlob(reference: unknown, { account, assets, findFile }: InputSources): Blob | undefined {
	const named = nameOf(reference, account, assets);
	return (typeof named === 'string' ? findFile(named) : undefined) ?? findInput(named, account, assets)?.blob;
}

/** @throws Error with the engine's message if the file does not exist. */
export async function readInput(reference: unknown, from: InputSources & { blobs: BlobStore }): Promise<Buffer> {
	const blob = findInputBlob(reference, from);
	if (blob !== undefined) return await from.blobs.bytes(blob);
	throw new Error(`Invalid image file: ${typeof reference === 'string' ? reference : 'unknown asset'}`);
}

/** The proxy replaces the id of an output with a name that the engine does not find. */
function nameOf(reference: unknown, account: AccountName, assets: AssetRecords): unknown {
	const id = isReference(reference) ? referencedId(reference) : undefined;
	return id !== undefined && assets.isMisnamed(id) ? assets.nameInEngine(account, id) : reference;
}

function findInput(reference: unknown, account: AccountName, assets: AssetRecords): AssetRecord | undefined {
	if (typeof reference === 'string') return assets.findByName(account, reference) ?? findOutput(reference, account, assets);
	const id = isReference(reference) ? referencedId(reference) : undefined;
	return id === undefined ? undefined : assets.get(account, id);
}

/** Finds an output by the name that the hosted web interface uses: `<hash>.png [output]`. */
function findOutput(name: string, account: AccountName, assets: AssetRecords): AssetRecord | undefined {
	const [, content] = /^(.*) \[(?:output|temp)\]$/.exec(name) ?? [];
	return content === undefined ? undefined : assets.findByContent(account, content);
}

function visitReferences(value: unknown, replace: (reference: Record<string, unknown>) => unknown): unknown {
	if (Array.isArray(value)) return value.map((entry: unknown) => visitReferences(entry, replace));
	if (!isRecord(value)) return value;
	if (isReference(value)) return replace(value);
	return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, visitReferences(entry, replace)]));
}

function referencedId(reference: Record<string, unknown>): string | undefined {
	const id = isRecord(reference.info) ? reference.info.id : undefined;
	return typeof id === 'string' ? id : undefined;
}

const isReference = (value: unknown): value is Record<string, unknown> => isRecord(value) && value.__type === 'core/ASSET';
