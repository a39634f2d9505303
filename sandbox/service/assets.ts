/** The assets of one surface, and how graphs refer to them: as `{"__type":"core/ASSET","info":{"id"}}` or by file name. */
import { createHmac, randomUUID } from 'node:crypto';
import type { Blob, BlobStore } from '../storage/blobs';
import type { Place } from '../storage/filePlaces';
import type { AccountName } from '../vocabulary';
import type { ApiGraph } from '../graphEngine/types';
import { isRecord } from '../json';

export interface AssetRecord {
	id: string;
	account: AccountName;
	blob: Blob;
	contentType: string;
	filePath: string | null;
	tags: string[];
	/** Epoch milliseconds, as all times here. */
	createdAt: number;
	/** Null: kept for good. */
	expiresAt: number | null;
	/** The job that made it; null for uploads. */
	jobId: string | null;
}

type NewAsset = Pick<AssetRecord, 'account' | 'blob' | 'contentType' | 'filePath'> & Partial<AssetRecord>;

/** Where an upload of the proxy lies in its engine's input folder. */
const belowInput = (filePath: string): string => filePath.replace(/^input\//, '');

interface KnownBytes {
	blob: Blob;
	contentType: string;
}

export class AssetRecords {
	readonly #records = new Map<string, AssetRecord>();
	/** Shared bytes outlive the records over them. */
	readonly #known = new Map<string, KnownBytes>();

	/** Ids of outputs → their names. */
	readonly #inEngine = new Map<string, string>();

	constructor(private readonly options: { selfHosted: boolean; secret: string }) {}

	mint(asset: NewAsset): AssetRecord {
		const made = asset.jobId !== undefined && asset.jobId !== null;
		const id = made && this.options.selfHosted ? this.#outputId(asset.jobId ?? '') : randomUUID();
		const record: AssetRecord = { id, tags: [], createdAt: Date.now(), expiresAt: null, jobId: null, ...asset };
		this.#records.set(record.id, record);
		// The self-hosted proxy never hashes what its engine made.
		if (record.blob.hash !== null && !(made && this.options.selfHosted)) {
			const name = `${record.account} ${record.blob.hash}`;
			if (!this.#known.has(name)) this.#known.set(name, { blob: record.blob, contentType: record.contentType });
		}
		return record;
	}

	/** A live record of this account. */
	get(account: AccountName, id: string): AssetRecord | undefined {
		const record = this.#records.get(id);
		if (record === undefined || record.account !== account) return undefined;
		return record.expiresAt === null || record.expiresAt > Date.now() ? record : undefined;
	}

	/** An output of the proxy's engine: its id is where the engine keeps it, signed. */
	placeOutput(record: AssetRecord, { folder, subfolder, name }: Place): void {
		this.#records.delete(record.id);
		record.id = this.#signed({ j: record.jobId, f: name, s: subfolder, t: folder });
		this.#inEngine.set(record.id, subfolder === '' ? name : `${subfolder}/${name}`);
		this.#records.set(record.id, record);
	}

	/**
	 * How the proxy names a file to its engine: from its input folder on. Outputs too, by their names alone: the engine
	 * looks for them in the wrong folder (0.1.6).
	 */
	nameInEngine(account: AccountName, id: string): string | undefined {
		const filePath = this.get(account, id)?.filePath ?? undefined;
		return this.#inEngine.get(id) ?? (filePath === undefined ? undefined : belowInput(filePath));
	}

	/** An output that the engine does not find by the name that the proxy gives it. */
	isMisnamed(id: string): boolean {
		return this.#inEngine.has(id);
	}

	/** The newest live record of this name. An engine knows an upload by its whole path below the input folder, and by no part of it. */
	named(account: AccountName, name: string): AssetRecord | undefined {
		const isNamed = (filePath: string): boolean =>
			this.options.selfHosted ? belowInput(filePath) === name : filePath === name || filePath.endsWith(`/${name}`);
		return this.list(account).findLast(({ filePath }) => filePath !== null && isNamed(filePath));
	}

	/** The newest live record of the bytes that a content-addressed name stands for; the self-hosted proxy has no such names. */
	ofContent(account: AccountName, name: string): AssetRecord | undefined {
		const content = name.replace(/\.[^.]*$/, '');
		return this.options.selfHosted
			? undefined
			: this.list(account).findLast(({ blob }) => content === (blob.hash?.replace('blake3:', '') ?? blob.id));
	}

	/** The names of an account's live uploads, as its engine has them. */
	uploadNames(account: AccountName): string[] {
		const shown = this.options.selfHosted ? belowInput : (filePath: string) => filePath;
		return this.list(account).flatMap(({ jobId, filePath }) => (jobId === null && filePath !== null ? [shown(filePath)] : []));
	}

	/** Bytes that this account has brought before. */
	known(account: AccountName, hash: string): KnownBytes | undefined {
		return this.#known.get(`${account} ${hash}`);
	}

	/** The first live upload of these bytes, under this name when one is given. */
	uploaded(account: AccountName, hash: string, filePath?: string | null): AssetRecord | undefined {
		return this.list(account).find(
			(record) => record.jobId === null && record.blob.hash === hash && (filePath === undefined || record.filePath === filePath),
		);
	}

	delete(id: string): void {
		this.#records.delete(id);
	}

	/** All live records of an account, oldest first. */
	list(account: AccountName): AssetRecord[] {
		return [...this.#records.values()].filter(({ id }) => this.get(account, id) !== undefined);
	}

	/** The self-hosted proxy signs its output ids; they are no UUIDs. */
	#outputId(jobId: string): string {
		return this.#signed({ j: jobId, o: randomUUID() });
	}

	#signed(facts: Record<string, string | null>): string {
		const payload = Buffer.from(JSON.stringify(facts)).toString('base64url');
		return `asset_${payload}.${createHmac('sha256', this.options.secret).update(payload).digest('hex').slice(0, 32)}`;
	}
}

interface AssetUse {
	nodeId: string;
	field: string;
	/** Undefined when the reference has no usable id. */
	assetId: string | undefined;
}

/** A file by the name that a graph gives it. */
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

/** The graph with every asset reference replaced by a file name, as the self-hosted proxy hands it to its engine. */
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

interface InputPlaces {
	account: AccountName;
	assets: AssetRecords;
	findFile: FindFile;
}

/** Undefined where there is no such file. */
export function inputBlob(reference: unknown, { account, assets, findFile }: InputPlaces): Blob | undefined {
	const named = nameOf(reference, account, assets);
	return (typeof named === 'string' ? findFile(named) : undefined) ?? findInput(named, account, assets)?.blob;
}

/** @throws Error in the words of the engine when there is no such file. */
export async function readInput(reference: unknown, from: InputPlaces & { blobs: BlobStore }): Promise<Buffer> {
	const blob = inputBlob(reference, from);
	if (blob !== undefined) return await from.blobs.bytes(blob);
	throw new Error(`Invalid image file: ${typeof reference === 'string' ? reference : 'unknown asset'}`);
}

/** An output's id becomes a name on its way to the engine, which has no such input. */
function nameOf(reference: unknown, account: AccountName, assets: AssetRecords): unknown {
	const id = isReference(reference) ? referencedId(reference) : undefined;
	return id !== undefined && assets.isMisnamed(id) ? assets.nameInEngine(account, id) : reference;
}

function findInput(reference: unknown, account: AccountName, assets: AssetRecords): AssetRecord | undefined {
	if (typeof reference === 'string') return assets.named(account, reference) ?? ofOutput(reference, account, assets);
	const id = isReference(reference) ? referencedId(reference) : undefined;
	return id === undefined ? undefined : assets.get(account, id);
}

/** The web interface names outputs of the hosted service so: `<hash>.png [output]`. */
function ofOutput(name: string, account: AccountName, assets: AssetRecords): AssetRecord | undefined {
	const [, content] = /^(.*) \[(?:output|temp)\]$/.exec(name) ?? [];
	return content === undefined ? undefined : assets.ofContent(account, content);
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
