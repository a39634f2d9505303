import { GraphError, type GraphInputFault, outcomeOf, WebFileError } from '../../../client';
import { graphInputWords } from '../messages/graph';
import { webFileWords } from '../messages/webFile';
import { EmptyField, ItemFault } from '../itemFault';
import type { FileRow } from './rows';

const NO_JOB = 'No job was created.';

export const nameOf = ({ number, label, called }: FileRow): string => called ?? `File ${number}${label === '' ? '' : ` (${label})`}`;

/** A fault of one row, which is named. */
export class RowFault extends ItemFault {
	constructor(row: FileRow, message: string, advice: string) {
		super(`${nameOf(row)}: ${message}`, `${NO_JOB} ${advice}`);
	}
}

/** An expression that found nothing. */
export const emptyField = (row: FileRow, field: string, advice: string): EmptyField =>
	new EmptyField(`${field} of ${nameOf(row)} is empty`, `${NO_JOB} ${advice}`);

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function faultIn(row: FileRow, error: unknown): unknown {
	if (error instanceof EmptyField || error instanceof RowFault) return error;
	if (error instanceof ItemFault) return new RowFault(row, lowerFirst(error.message), error.advice);
	if (error instanceof WebFileError) return new RowFault(row, ...webFileWords(error));
	if (!(error instanceof GraphError)) return error;
	const { message, advice } = graphInputWords(error.facts as GraphInputFault);
	return new ItemFault(
		`${nameOf(row)}: ${message}`,
		`${advice} If the workflow has changed since the row was made, choose the input again, or remove the row.`,
	);
}

/** The same work, whose faults name the row. */
export async function inRow<T>(row: FileRow, work: () => Promise<T>): Promise<T> {
	const outcome = await outcomeOf(work());
	if (!outcome.ok) throw faultIn(row, outcome.error);
	return outcome.value;
}
