/** One entry of *Options* in one place: its field in the editor, its default, and the setting that it means. */
import type { INodeProperties } from 'n8n-workflow';

import { onePerKey } from '../../client';
import { requireChoice } from './itemFault';
import { enteredNumber, enteredText, enteredWholeNumber, type ReadParameter } from './parameters';

export interface Option<Setting = unknown> {
	/** The name of the field, which stored workflows contain. */
	name: string;
	/** What the user sees. */
	label: string;
	/** Two if an agent's tool has a field of its own. */
	fields: INodeProperties[];
	/** Whether an added option without a value is an error. It is read as null then. */
	needsValue?: true;
	/**
	 * @param entered undefined if the user has not added the option.
	 * @param isTool as in ItemRun.
	 * @throws ItemFault for a value that it cannot have, which an expression may return.
	 */
	read(entered: unknown, isTool: boolean): Setting;
}

type OptionGroup = Record<string, Option>;

export type SettingsOf<Group extends OptionGroup> = { [Name in keyof Group]: ReturnType<Group[Name]['read']> };

/** Returns the option with other texts in the editor, or shown under other conditions. */
export const withFields = <Setting>(option: Option<Setting>, change: (field: INodeProperties) => INodeProperties | INodeProperties[]) => ({
	...option,
	fields: option.fields.flatMap(change),
});

/** Any option. @param toSetting is given what was entered; undefined if the option was not added. */
export const option = <Setting>(field: INodeProperties, toSetting: (entered: unknown, isTool: boolean) => Setting): Option<Setting> => ({
	name: field.name,
	label: field.displayName,
	fields: [field],
	read: toSetting,
});

/** Returns the option with a different value for an agent's tool to which it was not added. */
export const unlessAddedToTool = <Setting>(option: Option<Setting>, value: unknown): Option<Setting> => ({
	...option,
	read: (entered, isTool) => option.read(entered === undefined && isTool ? value : entered, isTool),
});

type FieldOf<Type extends INodeProperties['type']> = Omit<INodeProperties, 'type'> & { type?: Type };

/** @param unlessAdded what applies if the user has not added the option. */
export const switchOption = (field: FieldOf<'boolean'>, unlessAdded = field.default): Option<boolean> =>
	option({ ...field, type: 'boolean' }, (entered = unlessAdded) => Boolean(entered));

/** @param place where the field is, for the message about an unknown choice. */
export const choiceOption = <const Choice extends string>(
	field: Omit<FieldOf<'options'>, 'options'> & { options: ReadonlyArray<{ name: string; value: Choice; description?: string }> },
	place = ' in Options',
): Option<Choice> => {
	const choices = field.options.map(({ value }) => value);
	return option({ ...field, type: 'options', options: [...field.options] }, (entered = field.default) =>
		requireChoice(entered, choices, field.displayName, place),
	);
};

/** @param unit what the entered number is multiplied with: its setting is in milliseconds or bytes, for example. */
export const numberOption = (field: FieldOf<'number'>, { least = 0, unit = 1 } = {}): Option<number> =>
	option({ ...field, type: 'number' }, (entered = field.default) => enteredNumber(entered, field.displayName, least) * unit);

/** Returns NaN for a list, a switch or a text of spaces, which `Number` turns into numbers. */
const toNumberLike = (entered: unknown): unknown =>
	typeof entered === 'number' || (typeof entered === 'string' && entered.trim() !== '') ? entered : NaN;

/** A limit, from 0; undefined without the option. An expression that finds no value must not remove the limit. */
export const limitOption = (field: FieldOf<'number'>): Option<number | undefined> => ({
	...option({ ...field, type: 'number', typeOptions: { minValue: 0, ...field.typeOptions } }, (entered) =>
		entered === undefined ? undefined : enteredNumber(toNumberLike(entered), field.displayName, 0),
	),
	needsValue: true,
});

/** A whole number between two limits. */
export const wholeNumberOption = (field: FieldOf<'number'>, limits: { least: number; most: number }): Option<number> =>
	option(
		{ ...field, type: 'number', typeOptions: { minValue: limits.least, maxValue: limits.most, numberPrecision: 0 } },
		(entered = field.default) => enteredWholeNumber(entered, field.displayName, limits),
	);

/** A text that must not be empty. */
export const textOption = (field: FieldOf<'string'>): Option<string> =>
	option({ ...field, type: 'string' }, (entered = field.default) => enteredText(entered, field.displayName));

/** Each reader belongs to one item. It evaluates the expressions in *Options* once, however many groups are read. */
const enteredOptions = onePerKey((read: ReadParameter) => read<Record<string, unknown>>('options', {}));

/** Reads a group of options of an item. */
export function readOptions<Group extends OptionGroup>(group: Group, read: ReadParameter, isTool = false): SettingsOf<Group> {
	const entered = enteredOptions(read);
	const settings = Object.entries(group).map(([name, one]) => {
		const isEmpty = one.needsValue === true && Object.hasOwn(entered, one.name) && entered[one.name] === undefined;
		return [name, one.read(isEmpty ? null : entered[one.name], isTool)];
	});
	return Object.fromEntries(settings) as SettingsOf<Group>;
}

/** What applies if no option was added. */
export const defaultsOf = <Group extends OptionGroup>(group: Group): SettingsOf<Group> =>
	readOptions(group, (_name, fallback) => fallback as never);

/** n8n returns it for an option that is not added. No expression returns it. */
const NOT_ADDED = '\u0000';

/** Reads one option alone, without the expressions of the others. */
export const readOption = <Setting>({ name, read: toSetting }: Option<Setting>, read: ReadParameter, isTool = false): Setting => {
	const entered = read<unknown>(`options.${name}`, NOT_ADDED);
	return toSetting(entered === NOT_ADDED ? undefined : entered, isTool);
};
