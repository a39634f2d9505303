import { ApiError, ConnectionError, type ConnectionTrouble } from '../../client';
import { engineSentences, v1Sentences, v2Sentences } from '../../nodes/shared/messages/tables/service';
import { routerSentences } from '../../nodes/shared/messages/tables/router';
import { wordsFor } from '../../nodes/shared/messages/wordsFor';
import { allMessages, readTroubleshooting, renderTroubleshooting, SITUATION_ADVICE } from '../../scripts/docs/troubleshooting';

const page = readTroubleshooting();
const FILLED_IN = '…';

/** Whether the page has a row for it, whatever was filled in. */
const isFound = (message: string): boolean =>
	[...page.matchAll(/^\| (.*?) \| /gm)].some(([, told]) => {
		const parts = String(told)
			.split(FILLED_IN)
			.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
		return new RegExp(`^${parts.join('.*')}$`, 's').test(message) && parts.join('').length > 8;
	});

it('the page says what the code says; if not: npm run docs', () => {
	expect(page).toBe(renderTroubleshooting(page));
	expect(allMessages().length).toBeGreaterThan(180);
});

it('has advice of its own only for messages whose advice the code does not contain', () => {
	const withoutAdvice = allMessages().flatMap(({ text, advice, hasAdvice }) => (hasAdvice && advice === '' ? [text] : []));
	expect(withoutAdvice.sort()).toEqual(Object.keys(SITUATION_ADVICE).sort());
});

const refusals = Object.entries({ v1: v1Sentences, v2: v2Sentences, engine: engineSentences, router: routerSentences }).flatMap(
	([name, sentences]) => Object.keys(sentences).map((code) => [name as ApiError['interface'], code] as const),
);

it.each(refusals)('what %s answers as "%s" is found on it', (name, code) => {
	expect(isFound(wordsFor(new ApiError({ interface: name, code, status: 400, message: 'its own words' })).message)).toBe(true);
});

const troubles: ConnectionTrouble[] = [
	'refused',
	'dns',
	'tls',
	'no_tls',
	'only_tls',
	'timeout',
	'too_slow',
	'lost',
	'blocked',
	'link_local',
	'not_web',
	'invalid_address',
];

it.each(troubles)('a connection that is %s is found on it', (trouble) => {
	expect(
		isFound(wordsFor(new ConnectionError({ trouble, origin: 'https://example.test', mayHaveArrived: false, message: trouble })).message),
	).toBe(true);
});
