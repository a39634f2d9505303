/** What of a file's own texts matters here. */
const GRAPHS = ['prompt', 'workflow'] as const;
type GraphName = (typeof GRAPHS)[number];

/** By which programs of another kind write what they did: Stable Diffusion WebUI, InvokeAI, Fooocus. */
const FOREIGN = new Set(['parameters', 'invokeai_metadata', 'sd-metadata', 'fooocus_scheme']);

export const isGraphName = (name: string): name is GraphName => GRAPHS.includes(name as GraphName);

/** No film, picture or sound that anybody makes has more parts before its texts; looking at so many takes a second. */
const MOST_PARTS = 250_000;

/** Texts that containers hold by name: some write names in capitals. */
export class Texts {
	private readonly graphs = new Map<GraphName, string>();
	private parts = 0;
	/** The film's one comment, in which VideoHelperSuite once wrote both graphs. */
	comment: string | undefined;
	isForeign = false;
	/** Two different graphs have the same name. ComfyUI's editor takes the last, and another program the first. */
	isAmbiguous = false;

	/** Whether a text of this name matters, and is not there yet. */
	wants(name: string): boolean {
		const lower = name.toLowerCase();
		if (isGraphName(lower)) return !this.graphs.has(lower);
		return lower === 'comment' ? this.comment === undefined : FOREIGN.has(lower) && !this.isForeign;
	}

	add(name: string, text: string | Uint8Array): void {
		const lower = name.toLowerCase();
		if (isGraphName(lower)) {
			if (!this.graphs.has(lower)) this.graphs.set(lower, typeof text === 'string' ? text : decodedText(text));
		} else if (lower === 'comment') this.comment ??= typeof text === 'string' ? text : decodedText(text);
		else if (FOREIGN.has(lower)) this.isForeign = true;
	}

	get(name: GraphName): string | undefined {
		return this.graphs.get(name);
	}

	/**
	 * Asked before each part of a file: false once nothing more is needed of it, or it has more parts than any file.
	 * @param mayRepeat another text of the same name may still come.
	 */
	goesOn(mayRepeat = false): boolean {
		return (mayRepeat || this.graphs.size < GRAPHS.length) && this.parts++ < MOST_PARTS;
	}
}

/** UTF-8 wherever it is that; the older formats are of one byte for each character. */
export function decodedText(bytes: Uint8Array): string {
	const trimmed = withoutEnd(bytes);
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(trimmed);
	} catch {
		return Buffer.from(trimmed).toString('latin1');
	}
}

/** Some formats close a text with a zero. */
function withoutEnd(bytes: Uint8Array): Uint8Array {
	let end = bytes.byteLength;
	while (end > 0 && bytes[end - 1] === 0) end--;
	return bytes.subarray(0, end);
}
