/** What an engine's folders hold. */
import { resultKey } from '../graphEngine/nodeClasses';
import type { JobOutput, ReportedOutput } from '../service/job';
import type { Blob } from '../storage/blobs';
import type { AssetRecords } from '../service/assets';
import { inside, pathOf, type Place, placeOf } from '../storage/filePlaces';

interface EngineFile {
	blob: Blob;
	contentType: string;
}

const COUNTED = /^(.*_)(\d{5})(_\..+)$/;

export class EngineFiles {
	readonly #files = new Map<string, EngineFile>();

	/** @param uploads what the proxy in front has brought. */
	constructor(private readonly uploads: AssetRecords) {}

	/** Keeps what a node has made; returns under which key of its results, and how, it is reported. */
	keep(output: JobOutput): ReportedOutput {
		const { subfolder, kind, temporary, plainText, asset } = output;
		const folder = temporary ? 'temp' : 'output';
		const place = this.#freePlace({ folder, subfolder, name: output.name }, asset.blob);
		this.#files.set(pathOf(place), asset);
		this.uploads.placeOutput(asset, place);
		output.name = place.name;
		// The engine's own video nodes report what they save as pictures that move.
		const key = resultKey(kind === 'video' ? 'image' : kind, asset.contentType);
		return { key, item: plainText ?? { filename: place.name, subfolder, type: folder }, animated: kind === 'video' };
	}

	save(place: Place, file: EngineFile): void {
		this.#files.set(pathOf(place), file);
	}

	find({ folder, subfolder, name }: Place): EngineFile | undefined {
		const path = inside(subfolder);
		if (path === undefined) return undefined;
		const own = this.#files.get(pathOf({ folder, subfolder: path, name }));
		return own ?? (folder === 'input' ? this.uploads.named('local', path === '' ? name : `${path}/${name}`) : undefined);
	}

	/** A file as a loader node names it. */
	loadable(text: string): EngineFile | undefined {
		return this.find(placeOf(text));
	}

	/** What loader nodes offer: files in the input folder itself. */
	get inputNames(): string[] {
		const own = [...this.#files.keys()].flatMap((path) => /^input\/([^/]+)$/.exec(path)?.[1] ?? []);
		const brought = this.uploads.uploadNames('local').filter((name) => !name.includes('/'));
		return [...new Set([...own, ...brought])].sort();
	}

	/** Savers count up past files that are there; the same bytes come of a remembered result, under their first name. */
	#freePlace(place: Place, blob: Blob): Place {
		const [, head, , tail] = COUNTED.exec(place.name) ?? [];
		if (head === undefined || tail === undefined) return place;
		for (let count = 1; ; count++) {
			const candidate = { ...place, name: `${head}${String(count).padStart(5, '0')}${tail}` };
			const taken = this.#files.get(pathOf(candidate));
			if (taken === undefined || (blob.hash !== null && taken.blob.hash === blob.hash)) return candidate;
		}
	}
}
