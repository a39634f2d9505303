/** What an engine's folders hold. A file takes the place of an older one of the same name. */
import { resultKey } from '../graphEngine';
import type { ReportedFile } from '../socket/followRun';
import type { AssetRecord, AssetRecords } from '../v2/assets/records';
import type { JobOutput } from '../v2/jobs/job';

export class EngineFiles {
	readonly #made = new Map<string, AssetRecord>();

	constructor(private readonly uploads: AssetRecords) {}

	/** Keeps a file; returns under which key of its node's results, and how, it is reported. */
	keep({ name, kind, temporary, asset }: JobOutput): ReportedFile {
		const type = temporary ? 'temp' : 'output';
		this.#made.set(`${type}/${name}`, asset);
		// The engine's own video nodes report what they save as pictures.
		const key = resultKey(kind === 'video' ? 'image' : kind, asset.contentType);
		return { key, file: { filename: name, subfolder: '', type } };
	}

	find(type: string, name: string): AssetRecord | undefined {
		return type === 'input' ? this.uploads.named('local', name) : this.#made.get(`${type}/${name}`);
	}
}
