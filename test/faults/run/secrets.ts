import { inspect } from 'node:util';

import { type Decision, type Exchange, type Observer, WebFileError } from '../../../client';
import type { NamedCredential } from '../../../nodes/shared/credentials';
import { decisionLine, exchangeLine } from '../../../nodes/shared/messages/logLines';
import { webFileWords } from '../../../nodes/shared/messages/webFile';
import { type Words, words } from '../../../nodes/shared/messages/words';
import { wordsFor } from '../../../nodes/shared/messages/wordsFor';
import { canariesIn } from '../canaries';
import type { Sandbox } from '../../../sandbox';

/** What gives access to a file of somebody's. */
const SIGNATURE = 'X-Goog-Signature=';

const secretsOf = ({ keys }: Sandbox): string[] => [...Object.values(keys), SIGNATURE];

/** Writes down what a log would hold, and tells of each exchange. */
export function listening(onExchange: (exchange: Exchange) => void): { observer: Observer; lines: string[] } {
	const lines: string[] = [];
	const observer: Observer = {
		onExchange: (exchange) => {
			lines.push(exchangeLine(exchange));
			onExchange(exchange);
		},
		onDecision: (decision: Decision) => void lines.push(decisionLine(decision)),
	};
	return { observer, lines };
}

/** As a node has read it: what it says of itself, and what must not be said. */
const credentialOf = ({ keys, urls }: Sandbox): NamedCredential => ({
	displayName: 'Comfy API',
	secretLabel: 'API Key',
	addressLabel: 'Base URL',
	baseUrl: urls.hosted,
	rejectUnauthorized: true,
	token: keys.apiKey,
	partnerKey: keys.partnerKey,
});

/** The row of files says the rest. */
const wordsOf = (error: unknown, sandbox: Sandbox): Words =>
	error instanceof WebFileError ? words(...webFileWords(error)) : wordsFor(error, credentialOf(sandbox));

/** @returns what is wrong with the way in which a failure is told. */
export function faultsOfTelling(error: unknown, lines: readonly string[], sandbox: Sandbox): string[] {
	const told = wordsOf(error, sandbox);
	const shown: Record<string, string> = {
		'the error': inspect(error, { depth: 20, showHidden: true }),
		'its JSON': JSON.stringify(error) ?? '',
		'the words': `${told.message}\n${told.advice}`,
		'the log': lines.join('\n'),
	};
	const leaks = Object.entries(shown)
		.filter(([, text]) => canariesIn(text, secretsOf(sandbox)).length > 0)
		.map(([where]) => `a secret stands in ${where}`);
	return [
		...leaks,
		...(told.message === '' ? ['nobody is told what happened'] : []),
		...(told.advice === '' ? ['nobody is told what to do'] : []),
	];
}
