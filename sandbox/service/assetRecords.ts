/** Asset records of one surface: who owns which bytes, under which name. */
import { createHmac, randomUUID } from 'node:crypto';
import type { Blob } from '../store/blobs';
import type { Place } from '../store/places';
import type { AccountName } from '../vocabulary';

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

export type NewAsset = Pick<AssetRecord, 'account' | 'blob' | 'contentType' | 'filePath'> & Partial<AssetRecord>;

/** Where an upload of the proxy lies in its engine's input folder. */
const belowInput = (filePath: string): string => filePath.replace(/^input\//, '');

export interface KnownBytes {
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
