import { recordsOf, textOr, type Told } from '../decode';
import type { Router } from '../generated/router';

/** Why a model's input was refused, in the service's own words; fields it adds stay beside these. */
export interface RouterInputFault {
	/** Outermost first; a number is a place in a list. */
	loc: unknown;
	msg: unknown;
	type: unknown;
	/** `loc` in one text: `messages[0].role`. */
	path: string;
	[unknownField: string]: unknown;
}

export const inputFaults = (detail: unknown[]): RouterInputFault[] => recordsOf<Router['ValidationEntry']>(detail).map(inputFault);

function inputFault(entry: Told<Router['ValidationEntry']>): RouterInputFault {
	return { ...entry, loc: entry.loc, msg: entry.msg, type: entry.type, path: faultPath(entry.loc) };
}

/** The path starts in the request's body, which needs no naming unless the body itself is meant. */
function faultPath(loc: unknown): string {
	const steps = Array.isArray(loc) ? loc : [];
	const inBody = steps.length > 1 && steps[0] === 'body' ? steps.slice(1) : steps;
	return inBody.map(stepText).join('').replace(/^\./, '');
}

function stepText(step: unknown): string {
	if (typeof step === 'number') return `[${step}]`;
	const name = String(step);
	return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

export const faultText = ({ path, msg }: RouterInputFault): string => [path, textOr(msg, '')].filter((part) => part !== '').join(': ');
