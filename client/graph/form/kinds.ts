import { isExactNumber, isExactInteger } from '../../json/numbers';
import type { InputDefinition } from './definition';
import { isNumber } from './literals';
import type { FileKind, InputKind, InputLimits, InputRole } from './types';

const KINDS: Partial<Record<string, InputKind>> = { INT: 'integer', FLOAT: 'number', STRING: 'text', BOOLEAN: 'boolean', COMBO: 'choice' };

function kindOfValue(value: unknown): InputKind {
	if (isNumber(value)) return 'number';
	if (typeof value === 'boolean') return 'boolean';
	return typeof value === 'string' || value === null || value === undefined ? 'text' : 'json';
}

/** `FLOAT,INT` takes either; the widget's own type says which one is meant. */
function kindOfType({ type, settings, choices }: InputDefinition): InputKind | undefined {
	const kinds = (typeof settings.widgetType === 'string' ? settings.widgetType : type).split(',').map((one) => KINDS[one]);
	const kind = kinds.includes('number') ? 'number' : kinds.find((one) => one !== undefined);
	if (kind !== 'choice') return kind;
	if (settings.multiselect === true) return 'json';
	return choices.length === 0 ? undefined : 'choice';
}

/** By the definition; where it says nothing that a value can be measured by, by the value that stands there. */
export function kindOf(value: unknown, definition: InputDefinition | undefined, fileKind: FileKind | undefined): InputKind {
	if (fileKind !== undefined) return 'text';
	return (definition && kindOfType(definition)) ?? kindOfValue(value);
}

/** Whole numbers are also how others are written (`"cfg": 8`): without a definition only what counts things is whole. */
export const countsThings = (input: string, value: unknown, role: InputRole): boolean =>
	isExactInteger(value) && (role === 'seed' || /(^|[_.])(width|height|batch_size)$/.test(input));

function limitOf(value: unknown): number | string | undefined {
	if (isExactNumber(value)) return value.value;
	if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
	return typeof value === 'string' && /^-?\d/.test(value) ? value : undefined;
}

const isChoice = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);

export function limitsOf(
	kind: InputKind,
	definition: InputDefinition | undefined,
	fileKind: FileKind | undefined,
): InputLimits | undefined {
	if (fileKind !== undefined) return { fileKind };
	if (definition === undefined) return undefined;
	const { settings, choices } = definition;
	const isAmount = kind === 'integer' || kind === 'number';
	const limits: Record<keyof InputLimits, unknown> = {
		min: isAmount ? limitOf(settings.min) : undefined,
		max: isAmount ? limitOf(settings.max) : undefined,
		step: isAmount ? limitOf(settings.step) : undefined,
		choices: choices.length > 0 ? choices.filter(isChoice) : undefined,
		multiline: settings.multiline === true || undefined,
		fileKind: undefined,
	};
	const told = Object.entries(limits).filter(([, value]) => value !== undefined);
	return told.length === 0 ? undefined : Object.fromEntries(told);
}
