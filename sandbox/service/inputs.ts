/** The assets that a graph names, as `{"__type":"core/ASSET","info":{"id"}}` or by plain file name. */
import type { ApiGraph } from '../graphEngine/types';
import { isRecord } from '../records';
import type { Blob, BlobStore } from '../store/blobs';
import type { AccountName } from '../vocabulary';
import type { AssetRecord, AssetRecords } from './assetRecords';

export interface AssetUse {
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

export interface InputPlaces {
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
