import { mayHoldLongNumbers, parseExact } from '../json/exactJson';
import { fitsDouble } from '../json/numbers';
import { replaceOutsideStrings } from '../json/outsideStrings';

const NO_NUMBER = /-?Infinity|NaN/g;
const NUMBER = /-?\d[\d.eE+-]*/g;

export interface NumberOptions {
	/** Numbers that a double cannot hold are `ExactNumber`s in place of texts. */
	exactNumbers?: boolean;
}

/**
 * Reads JSON as Python writes it: what is no number stands there as NaN or Infinity, which JSON does not know. A
 * ComfyUI's history holds them whenever a node says that it has always changed; null takes their place. A number that a
 * double cannot hold is its text: so it reaches n8n's items with every digit.
 * @throws SyntaxError for the text as it is, which it quotes.
 */
export function parseJson(text: string, { exactNumbers = false }: NumberOptions = {}): unknown {
	const json = parsable(text);
	if (!mayHoldLongNumbers(json.text)) return json.value;
	if (exactNumbers) return parseExact(json.text);
	return JSON.parse(replaceOutsideStrings(json.text, NUMBER, (literal) => (fitsDouble(literal) ? literal : `"${literal}"`)));
}

function parsable(text: string): { text: string; value: unknown } {
	try {
		return { text, value: JSON.parse(text) };
	} catch {
		const mended = replaceOutsideStrings(text, NO_NUMBER, 'null');
		try {
			return { text: mended, value: JSON.parse(mended) };
		} catch {
			return { text, value: JSON.parse(text) };
		}
	}
}
