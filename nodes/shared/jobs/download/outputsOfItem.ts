import type { IDataObject } from 'n8n-workflow';

import { isRecord, type JobOutput, UNKNOWN_TYPE } from '../../../../client';

const textOr = <T>(value: unknown, otherwise: T): string | T => (typeof value === 'string' && value !== '' ? value : otherwise);

/** Items can be edited on their way. */
function outputOf(value: unknown): JobOutput[] {
	if (!isRecord(value)) return [];
	const url = typeof value.url === 'string' && URL.canParse(value.url) ? value.url : null;
	const isText = value.type === 'text' && value.url === null;
	if (url === null && !isText) return [];
	return [
		{
			...value,
			node_id: textOr(value.node_id, ''),
			name: textOr(value.name, ''),
			type: textOr(value.type, 'file'),
			content_type: textOr(value.content_type, UNKNOWN_TYPE),
			size_bytes: typeof value.size_bytes === 'number' ? value.size_bytes : 0,
			id: textOr(value.id, null),
			hash: textOr(value.hash, null),
			url,
			url_expires_at: textOr(value.url_expires_at, null),
			...(isText && { text: typeof value.text === 'string' ? value.text : null }),
		},
	];
}

/** @returns the outputs that an item about this job carries; undefined when it is about something else, or carries none. */
export function outputsOfItem({ job_id: id, outputs }: IDataObject, jobId: string): JobOutput[] | undefined {
	if (id !== jobId || !Array.isArray(outputs)) return undefined;
	const usable = outputs.flatMap(outputOf);
	return usable.length === 0 ? undefined : usable;
}

/** What an item about a job says of it. */
export const idsOfItem = ({ job_id, interface: name, status, service_status }: IDataObject): IDataObject => ({
	job_id,
	interface: name,
	status,
	service_status,
});
