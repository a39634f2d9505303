/** Where a job comes from: names and ids, never data of a flow. Services that keep such things get them as labels. */
import { ApiError } from './errors';
import { isRecord, textOr } from './decode';
import type { InterfaceName, MadeBy } from './job';

export type Labels = Record<string, string>;

/** The label of each. Deployments take keys of up to 40 letters, digits, `_`, `-` and `.`. */
const LABEL_OF = {
	workflow_id: 'n8n_workflow_id',
	workflow_name: 'n8n_workflow_name',
	execution_id: 'n8n_execution_id',
	node: 'n8n_node',
	item: 'n8n_item',
} as const satisfies Record<keyof MadeBy, string>;

export const WORKFLOW_LABEL = LABEL_OF.workflow_id;

/** Deployments take 256 bytes each; the proxy 1 KiB of all as one JSON text, where a quotation mark counts twice. */
const MOST_BYTES = { workflow_id: 64, workflow_name: 150, execution_id: 64, node: 150, item: 20 } as const satisfies Record<
	keyof MadeBy,
	number
>;

/** Deployments refuse a label that holds control characters, or what turns the direction of writing. */
const REFUSED = /[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;

/** Cut between two characters. */
function labelText(value: string | number, mostBytes: number): string {
	const bytes = Buffer.from(String(value).replace(REFUSED, ' ').trim());
	return new TextDecoder().decode(bytes.subarray(0, mostBytes), { stream: true });
}

const NAMES = Object.keys(LABEL_OF) as Array<keyof MadeBy>;

/** What is kept with a job. */
export function labelsOf(madeBy: MadeBy | undefined): Labels {
	if (madeBy === undefined) return {};
	const labels = NAMES.map((name) => [LABEL_OF[name], labelText(madeBy[name] ?? '', MOST_BYTES[name])] as const);
	return Object.fromEntries(labels.filter(([, text]) => text !== ''));
}

/** As far as a job's labels tell it. @param labels a record, or its JSON text; it may be somebody else's. */
export function madeByIn(labels: unknown): { made_by?: MadeBy } {
	const told = typeof labels === 'string' ? parsed(labels) : labels;
	if (!isRecord(told) || !NAMES.some((name) => typeof told[LABEL_OF[name]] === 'string')) return {};
	const textOf = (name: keyof MadeBy): string | null => textOr(told[LABEL_OF[name]], null);
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

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** The service keeps nothing of where a job comes from, so that its jobs cannot be told apart by it. */
export const madeByNotKept = (name: InterfaceName): ApiError =>
	new ApiError({ interface: name, code: 'made_by_not_kept', status: 501, message: 'This service does not keep where a job comes from' });
