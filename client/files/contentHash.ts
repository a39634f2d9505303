import { createBLAKE3 } from 'hash-wasm';

const PREFIX = 'blake3:';

/** Hashes bytes chunk by chunk. */
export interface ContentHasher {
	update(chunk: Uint8Array): void;
	/** Returns `blake3:<hex>`. Call it once, at the end. */
	digest(): string;
}

export async function createContentHasher(): Promise<ContentHasher> {
	const hasher = (await createBLAKE3()).init();
	return {
		update: (chunk) => void hasher.update(chunk),
		digest: () => PREFIX + hasher.digest('hex'),
	};
}

/** Returns `blake3:<hex>` of all bytes. It holds one chunk at a time. */
export async function contentHash(source: AsyncIterable<Uint8Array>): Promise<string> {
	const hasher = await createContentHasher();
	for await (const chunk of source) hasher.update(chunk);
	return hasher.digest();
}

/** Whether the text is a hash of the kind that `contentHash` returns. */
export const isContentHash = (hash: string | null | undefined): hash is string => hash?.startsWith(PREFIX) ?? false;
