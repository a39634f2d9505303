import { inFull, shortened } from './shown';

/** What a person reads: what happened, then how to go on. */
export interface Words {
	message: string;
	advice: string;
}

const LONGEST_MESSAGE = 1_000;
const LONGEST_ADVICE = 10_000;

/** n8n shows line breaks as spaces, so that only a full stop keeps two lines apart. */
const sentence = (line: string): string => (/[.!?:]\s*$/.test(line) ? line : `${line}.`);

/** Whoever was to be quoted had nothing to say. */
const withoutLooseEnd = (message: string): string => message.replace(/:\s*$/, '');

/** The one place where texts of ours and of a service become what n8n shows. */
export const words = (message: string, ...advice: Array<string | undefined>): Words => ({
	message: inFull(withoutLooseEnd(shortened(message, LONGEST_MESSAGE))),
	advice: inFull(advice.flatMap((line) => (line ? [sentence(shortened(line, LONGEST_ADVICE))] : [])).join('\n')),
});
