/** Labels that record which n8n workflow, execution, node and item made a job: names and ids, never data of items. */
import { isRecord, parseIfJson, textOr } from '../json/decode';
import { ApiError } from '../errors/errors';
import type { InterfaceName, MadeBy } from './job';

export type Labels = Record<string, string>;

/** The label of each field. Deployments accept keys of up to 40 letters, digits, `_`, `-` and `.`. */
const LABEL_OF = {
	workflow_id: 'n8n_workflow_id',
	workflow_name: 'n8n_workflow_name',
	execution_id: 'n8n_execution_id',
	node: 'n8n_node',
	item: 'n8n_item',
} as const satisfies Record<keyof MadeBy, string>;

export const WORKFLOW_LABEL = LABEL_OF.workflow_id;

/**
 * Deployments accept 256 bytes for each label. The API proxy accepts 1 KiB for all labels as one JSON text, where a
 * quotation mark counts twice.
 */
const MOST_BYTES = { workflow_id: 64, workflow_name: 150, execution_id: 64, node: 150, item: 20 } as const satisfies Record<
	keyof MadeBy,
	number
>;

/** Deployments reject labels with control characters or characters that change the text direction. */
const REJECTED_CHARACTERS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;

/** Cuts a label to the limit, between two characters. */
function toLabelText(value: string | number, mostBytes: number): string {
	const bytes = Buffer.from(String(value).replace(REJECTED_CHARACTERS, ' ').trim());
	return new TextDecoder().decode(bytes.subarray(0, mostBytes), { stream: true });
}

const NAMES = Object.keys(LABEL_OF) as Array<keyof MadeBy>;

/** Returns the labels to store with a job. */
export function toLabels(madeBy: MadeBy | undefined): Labels {
	if (madeBy === undefined) return {};
	const labels = NAMES.map((name) => [LABEL_OF[name], toLabelText(madeBy[name] ?? '', MOST_BYTES[name])] as const);
	return Object.fromEntries(labels.filter(([, text]) => text !== ''));
}

/**
 * Reads `made_by` from the labels of a job.
 * @param labels a record or its JSON text. They may come from another program.
 */
export function readMadeBy(labels: unknown): { made_by?: MadeBy } {
	const record = typeof labels === 'string' ? parseIfJson(labels) : labels;
	if (!isRecord(record) || !NAMES.some((name) => typeof record[LABEL_OF[name]] === 'string')) return {};
	const textOf = (name: keyof MadeBy): string | null => textOr(record[LABEL_OF[name]], null);
	const item = textOf('item');
	return {
		made_by: {
			workflow_id: textOf('workflow_id'),
			workflow_name: textOf('workflow_name'),
			execution_id: textOf('execution_id'),
			node: textOf('node'),
			item: item !== null && /^\d+$/.test(item) ? Number(item) : null,
		},
	};
}

/** The error of a service that does not store who made a job, so that its jobs cannot be filtered by it. */
export const madeByNotKept = (name: InterfaceName): ApiError =>
	new ApiError({ interface: name, code: 'made_by_not_kept', status: 501, message: 'This service does not store the origin of a job' });
