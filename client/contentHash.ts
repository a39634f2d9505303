import { createBLAKE3 } from 'hash-wasm';

const PREFIX = 'blake3:';

/** Hashes bytes as they pass. */
export interface ContentHasher {
	update(chunk: Uint8Array): void;
	/** `blake3:<hex>`; ends the hasher. */
	digest(): string;
}

export async function createContentHasher(): Promise<ContentHasher> {
	const hasher = (await createBLAKE3()).init();
	return {
		update: (chunk) => void hasher.update(chunk),
		digest: () => PREFIX + hasher.digest('hex'),
	};
}

/** @returns `blake3:<hex>` of all bytes; holds one chunk at a time. */
export async function contentHash(source: AsyncIterable<Uint8Array>): Promise<string> {
	const hasher = await createContentHasher();
	for await (const chunk of source) hasher.update(chunk);
	return hasher.digest();
}

/** Whether this is a hash that `contentHash` can be compared with. */
export const isContentHash = (hash: string | null | undefined): hash is string => hash?.startsWith(PREFIX) ?? false;
