import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, ConnectionError, type ConnectionTrouble } from '../../client';
import { routerTable } from '../../nodes/shared/explain/router';
import { serviceTables } from '../../nodes/shared/explain/service';
import { wordsFor } from '../../nodes/shared/explain/wordsFor';
import { messages, topics } from '../../nodes/shared/messages/catalogue';
import type { Words } from '../../nodes/shared/messages/words';
import {
	readMessages,
	readTopics,
	readTroubleshooting,
	renderMessages,
	renderTroubleshooting,
	RUN_TIME_TEXTS,
} from '../../scripts/docs/troubleshooting';
import { projectRoot } from '../../scripts/n8nHost/environment';

const page = readMessages();
const forUsers = readTroubleshooting();
const codes = Object.keys(messages);
const entries = readTopics().flatMap((topic) => topic.entries);

/** Whether the section of its code shows the message, whatever was filled in. */
function isFound({ code, message }: Words): boolean {
	const section = page.split(/^### /m).find((text) => text.startsWith(`${code}\n`)) ?? '';
	return [...section.matchAll(/^> (.*)$/gm)].some(([, told]) => {
		const parts = String(told)
			.split('…')
			.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
		return new RegExp(`^${parts.join('.*')}$`, 's').test(message);
	});
}

it('the pages say what the code says; if not: npm run docs', () => {
	expect(page).toBe(renderMessages(page));
	expect(forUsers).toBe(renderTroubleshooting(forUsers));
});

it('docs/troubleshooting.md has an anchor for each code', () => {
	const anchors = [...forUsers.matchAll(/<a id="([a-z0-9_]+)"><\/a>/g)].map(([, anchor]) => anchor);
	expect(anchors.toSorted()).toEqual(codes.map((code) => code.toLowerCase()).toSorted());
});

it('has one heading for each code, and each code is in one topic', () => {
	const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, code]) => code);
	expect(headings.toSorted()).toEqual(codes.toSorted());
	expect(new Set(headings).size).toBe(headings.length);
	expect(Object.values(topics).flatMap((topic) => Object.keys(topic))).toHaveLength(codes.length);
	expect(codes.filter((code) => !/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(code))).toEqual([]);
});

it('has no message that no node uses', () => {
	const sources = readdirSync(join(projectRoot, 'nodes'), { recursive: true, encoding: 'utf8' })
		.filter((path) => path.endsWith('.ts') && !path.includes('shared/messages/'))
		.map((path) => readFileSync(join(projectRoot, 'nodes', path), 'utf8'));
	const used = new Set(sources.flatMap((text) => [...text.matchAll(/\bmessages\.([A-Z0-9_]+)/g)].map(([, code]) => code)));
	expect(codes.filter((code) => !used.has(code))).toEqual([]);
});

it('has texts of its own only where the source does not contain the text', () => {
	const known = entries.filter(({ advice, hasAdvice, texts }) => (advice.length > 0 || !hasAdvice) && texts.every((text) => text !== '…'));
	expect(Object.keys(RUN_TIME_TEXTS).filter((code) => known.some((entry) => entry.code === code))).toEqual(['JOB_DELIVERED_LESS']);
});

const refusals = Object.entries({ ...serviceTables, router: routerTable }).flatMap(([name, table]) =>
	Object.keys(table).map((code) => [name as ApiError['interface'], code] as const),
);

it.each(refusals)('what %s answers as "%s" is found on it', (name, code) => {
	expect(isFound(wordsFor(new ApiError({ interface: name, code, status: 400, message: 'its own words' })))).toBe(true);
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
	expect(isFound(wordsFor(new ConnectionError({ trouble, origin: 'https://example.test', mayHaveArrived: false, message: trouble })))).toBe(
		true,
	);
});
