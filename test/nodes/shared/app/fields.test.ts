import type { App, GraphInput, MissingFromApp } from '../../../../client';
import { type AppField, type AppForm, formFieldsOf } from '../../../../nodes/shared/app/fields';
import { parseExact } from '../../../../client';

const GRAPH = { 1: { class_type: 'A', inputs: {} } };
const ID = '1.x A';

const input = (changes: Partial<GraphInput>): GraphInput => ({
	nodeId: '1',
	input: 'x',
	name: '1.x',
	label: 'A · x',
	value: 5,
	kind: 'number',
	role: 'other',
	...changes,
});
const appOf = (
	changes: Partial<GraphInput>,
	words: { label?: string; description?: string } = {},
	missing: MissingFromApp[] = [],
): App => ({
	inputs: [{ id: '1.x', label: 'Size', ...words, input: input(changes), also: [] }],
	outputs: [],
	missing,
});
const fieldOf = (app: App, form?: AppForm): AppField => formFieldsOf(app, GRAPH, 'w', form)[0]!;
const choices = (length: number): string[] => Array.from({ length }, (_, at) => `c${at}`);
const BIG = '18446744073709551615';

it.each<[of: Partial<GraphInput>, displayName: string, type: string, defaultValue: unknown]>([
	[{ kind: 'boolean', value: true }, 'Size', 'boolean', true],
	[{ kind: 'boolean', value: 'x' }, 'Size', 'boolean', false],
	[{ limits: { min: 1, max: 9 } }, 'Size (1 to 9)', 'number', 5],
	[{ kind: 'integer', limits: { min: 1 } }, 'Size (at least 1)', 'number', 5],
	[{ limits: { max: 9 } }, 'Size (at most 9)', 'number', 5],
	[{ limits: {} }, 'Size', 'number', 5],
	[{ limits: { min: -1_000_000_001, max: 9 } }, 'Size (at most 9)', 'number', 5],
	[{ limits: { min: 1, max: BIG } }, 'Size (at least 1)', 'number', 5],
	[{ limits: { min: 1, max: 1_000_000_000 } }, 'Size (1 to 1000000000)', 'number', 5],
	[{ kind: 'integer', value: parseExact(BIG) }, 'Size', 'string', BIG],
	[{ value: '5' }, 'Size', 'string', '5'],
	[{ kind: 'json', value: ['a'] }, 'Size (JSON)', 'string', '["a"]'],
	[{ kind: 'text', value: null }, 'Size', 'string', ''],
	[{ kind: 'text', value: undefined }, 'Size', 'string', ''],
	[{ kind: 'text', value: 'a', limits: { multiline: true } }, 'Size', 'string', 'a'],
	[{ kind: 'integer', role: 'seed', value: 7, limits: { min: 0, max: 9 } }, 'Size', 'string', '7'],
	[{ kind: 'text', role: 'file', value: 'a.png' }, 'Size (field, URL or file)', 'string', 'a.png'],
	[{ kind: 'choice', value: 'c0', limits: { choices: choices(300) } }, 'Size', 'options', 'c0'],
	[{ kind: 'choice', value: 'c0', limits: { choices: choices(301) } }, 'Size (one of 301)', 'string', 'c0'],
	[{ kind: 'text', value: 'c0', limits: { choices: choices(3) } }, 'Size', 'string', 'c0'],
])('the input %j is the field %j of the type %s, filled with %j', (changes, displayName, type, defaultValue) => {
	expect(fieldOf(appOf(changes))).toMatchObject({ id: ID, displayName, type, defaultValue, words: 'Size', of: 'w' });
});

const optionsOf = ({ options = [] }: AppField): string => options.map(({ name, value }) => `${name} = ${JSON.stringify(value)}`).join(', ');

it.each<[value: unknown, offered: Array<string | number | boolean>, options: string]>([
	['a', ['a', 'b'], 'a = "a", b = "b"'],
	['z', ['a'], 'z (saved, but not available in this ComfyUI) = "z", a = "a"'],
	['', ['a'], 'a = "a"'],
	['a', ['a', '=b'], 'a = "a"'],
	[2, [1, 2], '1 = 1, 2 = 2'],
	[false, [true, false], 'true = true, false = false'],
])('the value %j of the choices %j has the options %s', (value, offered, options) => {
	expect(optionsOf(fieldOf(appOf({ kind: 'choice', value, limits: { choices: offered } })))).toBe(options);
});

it.each<[words: { label?: string; description?: string }, value: unknown, displayName: string]>([
	[{ description: 'of the picture' }, 5, 'Size (1 to 9): of the picture'],
	[{ label: '=1' }, 5, ' =1 (1 to 9)'],
	[{}, '=1+1', 'Size, now "=1+1"'],
	[{}, '=a\n\n b ', 'Size, now "=a b"'],
	[{}, `=${'x'.repeat(59)}`, `Size, now "=${'x'.repeat(59)}"`],
	[{}, `=${'x'.repeat(60)}`, `Size, now "=${'x'.repeat(59)}…"`],
	[{}, `=${'x'.repeat(58)} y`, `Size, now "=${'x'.repeat(58)}…"`],
])('with %j the value %j is labeled %j', (words, value, displayName) => {
	const app = appOf({ value, limits: { min: 1, max: 9 } }, words);
	expect(fieldOf(app).displayName).toBe(displayName);
	expect('defaultValue' in fieldOf(app)).toBe(value === 5);
});

const field = (changes: Partial<AppField>): AppField => ({
	id: ID,
	displayName: 'Size',
	words: 'Size',
	required: false,
	defaultMatch: false,
	display: true,
	of: 'w',
	defaultValue: 5,
	...changes,
});

it.each<[what: string, saved: unknown, value: unknown, before: Partial<AppField>, displayName: string, defaultValue: unknown]>([
	['left as it was filled', 7, 5, {}, 'Size, now "7"', 5],
	['left as it was filled, where nothing has changed', 5, 5, {}, 'Size', 5],
	['changed', 7, 6, {}, 'Size', 7],
	['emptied', 7, '', {}, 'Size', 7],
	['without a value', 7, undefined, {}, 'Size', 7],
	['of another workflow', 7, 5, { of: 'other' }, 'Size', 7],
	['of another input', 7, 5, { id: '2.x A' }, 'Size', 7],
	['an expression', 7, '={{ 5 }}', { defaultValue: '={{ 5 }}' }, 'Size', 7],
	['filled with nothing', 7, 5, { defaultValue: null }, 'Size', 7],
	['left as it was filled, where a space is saved now', ' ', 'a', { defaultValue: 'a' }, 'Size, now empty', 'a'],
])('a field that is %s', (_, saved, value, before, displayName, defaultValue) => {
	const kind = typeof saved === 'string' ? 'text' : 'number';
	const form = { value: { [ID]: value }, schema: [field(before)] };
	expect(fieldOf(appOf({ kind, value: saved }), form)).toMatchObject({ displayName, defaultValue });
});

it.each([
	['old', ['a'], 'a = "a", old = "old"'],
	['b', ['a', 'b'], 'a = "a", b = "b"'],
])('a choice that was left at %j keeps it among its options', (defaultValue, choices, options) => {
	const form = { value: { [ID]: defaultValue }, schema: [field({ defaultValue })] };
	expect(optionsOf(fieldOf(appOf({ kind: 'choice', value: 'a', limits: { choices } }), form))).toBe(options);
});

it('what the author marked and is not there is a field that only says why', () => {
	const missing = (['gone', 'inactive', 'linked', 'not_sent'] as const).map((why) => ({ is: 'input' as const, label: '=Luck', why }));
	const fields = formFieldsOf(appOf({}, {}, [{ is: 'output', label: 'Result', why: 'gone' }, ...missing]), GRAPH, 'w').slice(1);
	expect(fields.map(({ id, displayName }) => [id, displayName])).toEqual([
		['missing 0', ' =Luck (no longer in the workflow)'],
		['missing 1', ' =Luck (its node is muted or bypassed)'],
		['missing 2', ' =Luck (receives its value from another node)'],
		['missing 3', ' =Luck (works only in the ComfyUI editor)'],
	]);
	for (const one of fields) expect(one).toMatchObject({ type: 'string', readOnly: true, of: 'w', required: false, display: true });
});

it('what was entered for an input that is gone stays, and only that', () => {
	const schema = [
		field({ id: 'kept', words: 'Kept' }),
		field({ id: 'named', words: undefined, displayName: 'Named', defaultValue: undefined }),
		field({ id: 'other', of: 'other' }),
		field({ id: 'shown', readOnly: true }),
		field({ id: 'left' }),
		field({ id: 'empty' }),
	];
	const value = { kept: 'mine', named: 'mine', other: 'mine', shown: 'mine', left: 5, empty: '' };
	const [, ...kept] = formFieldsOf(appOf({}), GRAPH, 'w', { value, schema });
	const words = (name: string): string => `${name} (no longer in the app: remove this field)`;
	const basics = { required: false, defaultMatch: false, canBeUsedToMatch: false, display: true, type: 'string', of: 'w' };
	expect(kept).toEqual([
		{ ...basics, id: 'kept', displayName: words('Kept'), words: 'Kept', defaultValue: 5 },
		{ ...basics, id: 'named', displayName: words('Named'), words: 'Named' },
	]);
	expect('defaultValue' in kept[1]!).toBe(false);
});
