import { toDouble, type ExactNumber, isExactNumber } from '../../json/numbers';
import type { JsonRecord } from '../../decode';

type Numeric = number | ExactNumber;

/** What a definition says of a number: the frontend's widget keeps to it when somebody, or a primitive, sets it. */
export interface NumberRules {
	type: 'INT' | 'FLOAT';
	settings: JsonRecord;
}

const numericOr = <T>(value: unknown, otherwise: T): Numeric | T => (typeof value === 'number' || isExactNumber(value) ? value : otherwise);
const doubleOr = (value: unknown, otherwise: number): number => toDouble(numericOr(value, otherwise));

function wholeByStep(value: number, { settings }: NumberRules): number {
	const step = doubleOr(settings.step, 1) || 1;
	if (step === 1) return Math.round(value);
	const offset = doubleOr(settings.min, 0) % step;
	return Number.isFinite(offset) ? Math.round((value - offset) / step) * step + offset : value;
}

function decimalByStep(value: number, { settings }: NumberRules): number {
	const places = Math.min(100, Math.max(0, -Math.floor(Math.log10(doubleOr(settings.step, 0.5) || 1))));
	const round = doubleOr(settings.round, 0) || (places > 0 ? 10 ** -places : 0);
	if (round === 0) return value;
	const rounded = Number((Math.round(value / round) * round).toFixed(places));
	return Math.min(Math.max(rounded, doubleOr(settings.min, 0)), doubleOr(settings.max, 2048));
}

/** As the widget keeps a value that it is given; one that a double cannot hold keeps its digits. */
export function roundedTo(rules: NumberRules, value: unknown): unknown {
	if (isExactNumber(value)) return value;
	const number = Number(value);
	const rounded = rules.type === 'INT' ? wholeByStep(number, rules) : decimalByStep(number, rules);
	return Number.isFinite(rounded) ? rounded : value;
}

/** Between the limits that it has; one without limits has none. */
export function within({ settings }: NumberRules, value: unknown): unknown {
	const [min, max] = [numericOr(settings.min, undefined), numericOr(settings.max, undefined)];
	const number = isExactNumber(value) ? toDouble(value) : Number(value);
	if (min !== undefined && number < toDouble(min)) return min;
	return max !== undefined && number > toDouble(max) ? max : value;
}

const IRRELEVANT: ReadonlySet<string> = new Set([
	'default',
	'forceInput',
	'defaultInput',
	'control_after_generate',
	'multiline',
	'tooltip',
	'dynamicPrompts',
	'min',
	'max',
	'step',
]);

function gcd(one: number, other: number): number {
	let [larger, smaller] = [Math.abs(one), Math.abs(other)];
	for (let turns = 0; smaller > 1e-10 && turns < 100; turns++) [larger, smaller] = [smaller, larger % smaller];
	return larger;
}

/** What both allow; undefined where they do not go together. */
export function common(one: NumberRules, other: NumberRules): NumberRules | undefined {
	const [a, b] = [one.settings, other.settings];
	const min = Math.max(doubleOr(a.min, -Infinity), doubleOr(b.min, -Infinity));
	const max = Math.min(doubleOr(a.max, Infinity), doubleOr(b.max, Infinity));
	const differs = Object.keys({ ...a, ...b }).some((name) => !IRRELEVANT.has(name) && (a[name] ?? undefined) !== (b[name] ?? undefined));
	if (one.type !== other.type || min > max || differs) return undefined;
	const [stepOfOne, stepOfOther] = [doubleOr(a.step, 1), doubleOr(b.step, 1)];
	const step = (stepOfOne * stepOfOther) / (gcd(stepOfOne, stepOfOther) || 1);
	return { type: one.type, settings: { ...a, ...b, step: Math.abs(step), min: limit(a.min, b.min, min), max: limit(a.max, b.max, max) } };
}

/** As it was written, because the largest seed is no double; none where neither has one. */
const limit = (one: unknown, other: unknown, found: number): unknown =>
	[one, other].find((value) => numericOr(value, undefined) !== undefined && doubleOr(value, NaN) === found);
