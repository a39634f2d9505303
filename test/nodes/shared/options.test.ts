/** An option in one entry: its field and its setting. */
import {
	choiceOption,
	defaultsOf,
	numberOption,
	option,
	readOption,
	readOptions,
	switchOption,
	textOption,
	unlessAddedToTool,
} from '../../../nodes/shared/options';
import { outputMode } from '../../../nodes/shared/descriptions/jobFields';
import type { ReadParameter } from '../../../nodes/shared/parameters';

const colors = choiceOption({
	displayName: 'Color',
	name: 'color',
	options: [
		{ name: 'Red', value: 'red' },
		{ name: 'Blue', value: 'blue' },
	],
	default: 'red',
});
const options = {
	color: colors,
	isLoud: switchOption({ displayName: 'Loud', name: 'loud', default: true }, false),
	waitMs: numberOption({ displayName: 'Wait (Seconds)', name: 'wait', default: 2 }, { least: 1, unit: 1_000 }),
	field: textOption({ displayName: 'Field', name: 'field', default: 'data' }),
	rows: option({ displayName: 'Rows', name: 'rows', type: 'json', default: '' }, (rows) => rows ?? 'none'),
};

/** Reads the options of one item. */
const readerOf = (entered: Record<string, unknown>): ReadParameter & jest.Mock =>
	jest.fn((name: string, fallback?: unknown) =>
		name === 'options' ? entered : (entered[name.slice('options.'.length)] ?? fallback),
	) as ReadParameter & jest.Mock;

it('an option that was not added has its default, or what applies without it', () => {
	const unset = { color: 'red', isLoud: false, waitMs: 2_000, field: 'data', rows: 'none' };
	expect(readOptions(options, readerOf({}))).toEqual(unset);
	expect(defaultsOf(options)).toEqual(unset);
});

it('the entered values of two items become two settings', () => {
	const [one, other] = [{ color: 'blue', loud: true, wait: '3', field: ' a ', rows: [1] }, { wait: 1 }].map((entered) =>
		readOptions(options, readerOf(entered)),
	);
	expect(one).toEqual({ color: 'blue', isLoud: true, waitMs: 3_000, field: 'a', rows: [1] });
	expect(other).toMatchObject({ color: 'red', waitMs: 1_000 });
});

it.each([
	[{ color: 'green' }, 'Color "green" does not exist'],
	[{ wait: 0 }, 'Wait (Seconds) is not a number of at least 1'],
	[{ wait: null }, 'Wait (Seconds) is not a number of at least 1'],
	[{ field: ' ' }, 'Field is empty'],
])('a value that an option cannot have names the option: %j', (entered, message) => {
	expect(() => readOptions(options, readerOf(entered))).toThrow(message);
});

it('the expressions in Options are evaluated once for each item, and one option alone needs no other', () => {
	const [one, other] = [readerOf({ wait: 5 }), readerOf({ wait: 6 })];
	for (const group of [options, { waitMs: options.waitMs }]) expect(readOptions(group, one).waitMs).toBe(5_000);
	expect(one).toHaveBeenCalledTimes(1);
	expect(readOption(options.waitMs, other)).toBe(6_000);
	expect(other.mock.calls).toEqual([['options.wait', expect.any(String)]]);
	expect(readOption(options.waitMs, (_, fallback) => fallback as never)).toBe(2_000);
});

it.each([
	[colors, 'Choose one of these values under Color in Options: red, blue.'],
	[outputMode, 'Choose one of these values under Output Mode: itemPerOutput, singleItem.'],
])('an unknown choice says where the field is', (choice, advice) => {
	expect(() => choice.read('green', false)).toThrow(
		expect.objectContaining({ words: expect.objectContaining({ advice }) as unknown }) as Error,
	);
});

it('the tool of an agent has its own value only if the option was not added', () => {
	const group = { waitMs: unlessAddedToTool(options.waitMs, 7) };
	const read = (entered: Record<string, unknown>, isTool: boolean) => readOptions(group, readerOf(entered), isTool).waitMs;
	expect([read({}, true), read({}, false), read({ wait: 5 }, true)]).toEqual([7_000, 2_000, 5_000]);
	expect(() => read({ wait: null }, true)).toThrow('Wait (Seconds) is not a number of at least 1');
});
