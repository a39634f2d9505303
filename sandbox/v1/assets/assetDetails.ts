/** What v1 keeps of an asset beside the record that all interfaces share. */
import { iso } from '../../iso';
import type { AssetRecord } from '../../service/assetRecords';

interface Details {
	/** In place of the file's own name. */
	name?: string;
	userMetadata: Record<string, unknown>;
	/** Epoch milliseconds. */
	updatedAt: number;
}

export class AssetDetails {
	readonly #details = new WeakMap<AssetRecord, Details>();

	of(record: AssetRecord): Details {
		const known = this.#details.get(record);
		if (known !== undefined) return known;
		const details: Details = { userMetadata: {}, updatedAt: record.createdAt };
		this.#details.set(record, details);
		return details;
	}

	change(record: AssetRecord, change: Partial<Omit<Details, 'updatedAt'>> = {}): void {
		Object.assign(this.of(record), change, { updatedAt: Date.now() });
	}

	/** An asset as v1 writes it: other names than v2's. */
	present(record: AssetRecord): Record<string, unknown> {
		const { name = record.filePath ?? record.id, userMetadata, updatedAt } = this.of(record);
		return {
			id: record.id,
			name,
			...(record.blob.hash !== null && { asset_hash: record.blob.hash }),
			size: record.blob.sizeBytes,
			mime_type: record.contentType,
			tags: record.tags,
			user_metadata: userMetadata,
			preview_id: null,
			prompt_id: record.jobId,
			created_at: iso(record.createdAt),
			updated_at: iso(updatedAt),
			is_immutable: false,
		};
	}
}
