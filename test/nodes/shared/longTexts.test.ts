/** Long texts of somebody else's keep n8n, which does one thing at a time, from nothing else. Patterns: test/package/patterns.test.ts. */
import { resolveDynamicPrompt } from '../../../client/graph/convert/widgets/dynamicPrompts';
import { parseJson } from '../../../client/transport/parseJson';
import type { JobOutput } from '../../../client';
import { passesFilter } from '../../../nodes/shared/jobs/download/settings';
import { safeFileName } from '../../../nodes/shared/files/safeFileName';
import { isEmptyWorkflow } from '../../../nodes/shared/workflows/source';
import type { NamedCredential } from '../../../nodes/shared/credentials';
import { secretMask } from '../../../nodes/shared/withoutSecrets';
import { endsSoon } from '../../support/endsSoon';

const MANY = 1_000_000;
const named = (name: string): JobOutput => ({ name, node_id: '1', type: 'image', content_type: 'image/png' }) as JobOutput;
const passing = (name: string, pattern: string): boolean => passesFilter(named(name), { nodeIds: [], types: [], names: [pattern] });

const ODD_SECRETS = { token: '%25%25%25secret', partnerKey: '2525252525!' } as NamedCredential;
const NUMBER = `0.1${'0'.repeat(MANY)}1`;
const OPEN_COMMENTS = '/* '.repeat(MANY / 2);
const NEARLY_SECRET = '%25'.repeat(MANY / 3) + '25252'.repeat(MANY / 5);

/** Each returns whether the text is right, so that a failure does not print the whole text. */
it.each<[string, () => boolean]>([
	['a number of a million digits is its text', () => (parseJson(`[${NUMBER}]`) as unknown[])[0] === NUMBER],
	['a name of dots becomes a name', () => safeFileName(`${'.'.repeat(MANY)}/${'. '.repeat(MANY)}a.png`, 'x') === 'a.png'],
	['a prompt of comments without an end stays as it is', () => resolveDynamicPrompt(OPEN_COMMENTS, () => 0) === OPEN_COMMENTS],
	['one of many comments loses them', () => resolveDynamicPrompt('/**/ //\n'.repeat(MANY / 8), () => 0) === ' \n'.repeat(MANY / 8)],
	['white space before a text is no empty workflow', () => !isEmptyWorkflow(`${' '.repeat(MANY)}x`)],
	['white space alone is one', () => isEmptyWorkflow(' '.repeat(MANY))],
	['a pattern of many stars finds nothing in a long name', () => !passing('a'.repeat(MANY), `${'*a'.repeat(50)}*b`)],
	['and what is there', () => passing(`${'a'.repeat(MANY)}b`, `${'*a'.repeat(50)}*b`)],
	['secrets are looked for in what nearly holds them', () => secretMask(ODD_SECRETS)(NEARLY_SECRET) !== ''],
])('%s', (_, isRight) => expect(endsSoon(isRight)).toBe(true));

it.each([
	['*.png', 'A.PNG', true],
	['*.png', 'a.png.txt', false],
	['a*a', 'a', false],
	['a*a', 'aa', true],
	['*', '', true],
	['a.c', 'abc', false],
	['a*b*c', 'a-c-b', false],
	['a*b*c', 'abbc', true],
])('the pattern %s and the name %s: %s', (pattern, name, expected) => expect(passing(name, pattern)).toBe(expected));
