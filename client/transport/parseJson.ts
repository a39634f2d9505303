const STRING_OR_NO_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?Infinity|NaN/g;

/**
 * Reads JSON as Python writes it: what is no number stands there as NaN or Infinity, which JSON does not know. A
 * ComfyUI's history holds them whenever a node says that it has always changed; null takes their place.
 * @throws SyntaxError, which quotes the text.
 */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		if (!/NaN|Infinity/.test(text)) throw error;
		return parsedOr(error, text.replace(STRING_OR_NO_NUMBER, (part) => (part.startsWith('"') ? part : 'null')));
	}
}

/** Where the first reading gave up tells more than where the second did. */
function parsedOr(error: unknown, text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw error;
	}
}
