import { isEditorFormat } from '../graph/parseGraph';
import type { JobWorkflow } from '../job';
import { isRecord, type JsonRecord } from '../decode';

/**
 * The workflow in a job's record: the graph itself, or wrapped as `{prompt}` (with the submission's extra data, which is
 * left out) or `{workflow}`.
 * @returns undefined where there is none.
 */
export function workflowOf(value: unknown): JobWorkflow | undefined {
	if (!isRecord(value)) return undefined;
	const workflow = [value.prompt, value.workflow].find(isGraph) ?? value;
	return { format: isEditorFormat(workflow) ? 'save' : 'api', workflow };
}

/** A node may be called `prompt`, too. */
const isGraph = (value: unknown): value is JsonRecord => isRecord(value) && typeof value.class_type !== 'string';
