import { mayHoldLongNumbers, parseExact } from '../json/exactJson';
import { fitsDouble } from '../json/numbers';
import { replaceOutsideStrings } from '../json/outsideStrings';

const PYTHON_CONSTANT = /-?Infinity|NaN/g;
const NUMBER = /-?\d[\d.eE+-]*/g;

export interface NumberOptions {
	/** Return numbers that a double cannot hold as `ExactNumber` in place of text. */
	exactNumbers?: boolean;
}

/**
 * Parses JSON, also as Python writes it. Python writes NaN and Infinity, which JSON does not have; they become null. A
 * ComfyUI history contains them if a node always reports a change. A number that a double cannot hold becomes text, so
 * that n8n's items keep every digit.
 * @throws SyntaxError that quotes the original text.
 */
export function parseJson(text: string, { exactNumbers = false }: NumberOptions = {}): unknown {
	const json = repairPythonJson(text);
	if (!mayHoldLongNumbers(json.text)) return json.value;
	if (exactNumbers) return parseExact(json.text);
	return JSON.parse(replaceOutsideStrings(json.text, NUMBER, (literal) => (fitsDouble(literal) ? literal : `"${literal}"`)));
}

function repairPythonJson(text: string): { text: string; value: unknown } {
	try {
		return { text, value: JSON.parse(text) };
	} catch {
		const repaired = replaceOutsideStrings(text, PYTHON_CONSTANT, 'null');
		try {
			return { text: repaired, value: JSON.parse(repaired) };
		} catch {
			return { text, value: JSON.parse(text) };
		}
	}
}
