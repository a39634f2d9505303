/**
 * A pattern that is slow on a long text would stop all of n8n. Every pattern in the product is tested with texts that are made
 * to slow it down. A quadratic pattern exceeds the limit by far.
 */
import { createContext, Script } from 'node:vm';

import { hostileTexts } from '../support/hostileTexts';
import { type Pattern, patternsOf } from '../support/patternsOf';

/** With half the length, quadratic work takes a quarter of the time. So does the limit below. */
const LENGTH = 150_000;
/** A pattern that reads its text once needs milliseconds on any machine. */
const PATIENCE_MS = 1_250;

/** Patterns that would be slow, and why no long text reaches them. */
const BOUNDED: ReadonlyArray<readonly [file: string, pattern: RegExp, why: string]> = [
	['client/requests/address.ts', /api/, 'the path of an address holds no line break, so that the first /api/v2 ends the search'],
	['nodes/shared/inputs/chosenInput.ts', /#/, "the name of a row, from the user's workflow"],
	['nodes/shared/inputs/chosenInput.ts', /was/, 'the same'],
	['nodes/shared/jobs/jobForModel.ts', /sig\|token/, 'links of at most 200 characters'],
	['nodes/shared/explain/rejectedWorkflow.ts', /not (exist|found)/, 'sayings of at most 2,000 characters'],
	['nodes/shared/explain/nodeReasons.ts', /not in|Invalid/, 'texts of at most 10,000 characters'],
];

const isBounded = ({ file, text }: Pattern): boolean => BOUNDED.some(([where, pattern]) => where === file && pattern.test(text));

const testing = new Script('regExp.test(text)');
const given: { regExp?: RegExp; text?: string } = {};
const context = createContext(given);

function isSlow(regExp: RegExp, text: string, timeout: number): boolean {
	Object.assign(given, { regExp, text });
	try {
		testing.runInContext(context, { timeout });
		return false;
	} catch {
		return true;
	}
}

/** @returns the text that it is slow on, twice: a machine may be busy with something else. */
const slowOn = (regExp: RegExp, patienceMs = PATIENCE_MS): string | undefined =>
	hostileTexts(regExp, LENGTH).find((text) => isSlow(regExp, text, patienceMs) && isSlow(regExp, text, patienceMs));

const patterns = patternsOf('client', 'nodes', 'credentials').filter((pattern) => !isBounded(pattern));

it('finds the patterns', () => expect(patterns.length).toBeGreaterThan(80));

it('slows down the patterns that can be slow', () => {
	for (const slow of [/^(a+)+$/, /(<!--[^]*?-->\s*)*<svg/, /0+$/, /[?&][^=]*(key)[^=]*=/]) expect(slowOn(slow, 200)).toBeDefined();
});

it.each(patterns.map((pattern) => [`${pattern.file}: ${pattern.text}`, pattern] as const))('%s', (_, pattern) => {
	expect(slowOn(pattern.regExp)?.slice(0, 100)).toBeUndefined();
});

it('the list of bounded patterns names only patterns that exist', () => {
	const all = patternsOf('client', 'nodes', 'credentials');
	expect(BOUNDED.filter(([where, pattern]) => !all.some(({ file, text }) => file === where && pattern.test(text)))).toEqual([]);
});
