const STRING_OR_NO_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?Infinity|NaN/g;

/**
 * Reads JSON as Python writes it: what is no number stands there as NaN or Infinity, which JSON does not know. A
 * ComfyUI's history holds them whenever a node says that it has always changed; null takes their place.
 * @throws SyntaxError for the text as it is, which it quotes.
 */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return parsedWithoutNaN(text);
	}
}

function parsedWithoutNaN(text: string): unknown {
	try {
		return JSON.parse(text.replace(STRING_OR_NO_NUMBER, (part) => (part.startsWith('"') ? part : 'null')));
	} catch {
		return JSON.parse(text);
	}
}
