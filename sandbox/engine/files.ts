/** The files in an engine's folders. */
import { resultKey } from '../graphEngine/nodeClasses';
import type { JobOutput, ReportedOutput } from '../service/job';
import type { Blob, StoredFile } from '../storage/blobs';
import type { AssetRecords } from '../service/assets';
import { normalizeSubfolder, toPath, type FileLocation, parseFileName } from '../storage/fileLocations';

const COUNTED = /^(.*_)(\d{5})(_\..+)$/;

export class EngineFiles {
	readonly #files = new Map<string, StoredFile>();

	/** @param uploads files that were uploaded through the proxy. */
	constructor(private readonly uploads: AssetRecords) {}

	/** Stores an output of a node. @returns the key and the value in the node's results. */
	keep(output: JobOutput): ReportedOutput {
		const { subfolder, kind, temporary, plainText, asset } = output;
		const folder = temporary ? 'temp' : 'output';
		const place = this.#freePlace({ folder, subfolder, name: output.name }, asset.blob);
		this.#files.set(toPath(place), asset);
		this.uploads.setOutputLocation(asset, place);
		output.name = place.name;
		// The engine's video nodes report their files as animated images.
		const key = resultKey(kind === 'video' ? 'image' : kind, asset.contentType);
		return { key, item: plainText ?? { filename: place.name, subfolder, type: folder }, animated: kind === 'video' };
	}

	save(place: FileLocation, file: StoredFile): void {
		this.#files.set(toPath(place), file);
	}

	find({ folder, subfolder, name }: FileLocation): StoredFile | undefined {
		const path = normalizeSubfolder(subfolder);
		if (path === undefined) return undefined;
		const own = this.#files.get(toPath({ folder, subfolder: path, name }));
		return own ?? (folder === 'input' ? this.uploads.findByName('local', path === '' ? name : `${path}/${name}`) : undefined);
	}

	/** Finds a file by its name in a loader node. */
	loadable(text: string): StoredFile | undefined {
		return this.find(parseFileName(text));
	}

	/** The choices of loader nodes: files in the input folder, without its subfolders. */
	get inputNames(): string[] {
		const own = [...this.#files.keys()].flatMap((path) => /^input\/([^/]+)$/.exec(path)?.[1] ?? []);
		const brought = this.uploads.uploadNames('local').filter((name) => !name.includes('/'));
		return [...new Set([...own, ...brought])].sort();
	}

	/** Savers count up until a name is free. Equal bytes come from a cached result, and keep their first name. */
	#freePlace(place: FileLocation, blob: Blob): FileLocation {
		const [, head, , tail] = COUNTED.exec(place.name) ?? [];
		if (head === undefined || tail === undefined) return place;
		for (let count = 1; ; count++) {
			const candidate = { ...place, name: `${head}${String(count).padStart(5, '0')}${tail}` };
			const taken = this.#files.get(toPath(candidate));
			if (taken === undefined || (blob.hash !== null && taken.blob.hash === blob.hash)) return candidate;
		}
	}
}
