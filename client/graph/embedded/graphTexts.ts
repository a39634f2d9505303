/** The names under which ComfyUI stores graphs in a file's metadata: `prompt` in API format, `workflow` in the editor format. */
const GRAPH_NAMES = ['prompt', 'workflow'] as const;
type GraphName = (typeof GRAPH_NAMES)[number];

/** The names under which Stable Diffusion WebUI, InvokeAI and Fooocus store their own settings. */
const FOREIGN_NAMES = new Set(['parameters', 'invokeai_metadata', 'sd-metadata', 'fooocus_scheme']);

/** No real file has more parts before its texts. Reading so many parts takes about a second. */
const MOST_PARTS = 250_000;

export const isGraphName = (name: string): name is GraphName => GRAPH_NAMES.includes(name as GraphName);

/** The texts in a file's metadata that can hold a graph. Names are compared without case, because some programs write capitals. */
export class GraphTexts {
	private readonly graphs = new Map<GraphName, string>();
	private parts = 0;
	/** The comment of a video or an SVG. Older versions of VideoHelperSuite wrote both graphs into it. */
	comment: string | undefined;
	/** The file has settings of another program. */
	isForeign = false;
	/** Two different graphs have the same name. ComfyUI's editor uses the last one, and other programs use the first. */
	isAmbiguous = false;

	/** Whether a text of this name is needed and not read yet. */
	needs(name: string): boolean {
		const lower = name.toLowerCase();
		if (isGraphName(lower)) return !this.graphs.has(lower);
		return lower === 'comment' ? this.comment === undefined : FOREIGN_NAMES.has(lower) && !this.isForeign;
	}

	add(name: string, text: string | Uint8Array): void {
		const lower = name.toLowerCase();
		if (isGraphName(lower)) {
			if (!this.graphs.has(lower)) this.graphs.set(lower, typeof text === 'string' ? text : decodeMetadataText(text));
		} else if (lower === 'comment') this.comment ??= typeof text === 'string' ? text : decodeMetadataText(text);
		else if (FOREIGN_NAMES.has(lower)) this.isForeign = true;
	}

	get(name: GraphName): string | undefined {
		return this.graphs.get(name);
	}

	/**
	 * Call this before each part of a file, because it counts them.
	 * @param mayRepeat another text of the same name may follow.
	 * @returns false once both graphs are read, or if the file has more than `MOST_PARTS` parts.
	 */
	shouldReadNextPart(mayRepeat = false): boolean {
		return (mayRepeat || this.graphs.size < GRAPH_NAMES.length) && this.parts++ < MOST_PARTS;
	}
}

/** @returns the bytes as UTF-8 if they are valid UTF-8, else as Latin-1, which older formats use. Zeros at the end are cut off. */
export function decodeMetadataText(bytes: Uint8Array): string {
	let end = bytes.byteLength;
	while (end > 0 && bytes[end - 1] === 0) end--;
	const text = bytes.subarray(0, end);
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(text);
	} catch {
		return Buffer.from(text).toString('latin1');
	}
}
