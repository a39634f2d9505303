import type { Job, JobEvent, JobOutput, TriggerEvent } from '../../../../client';
import { minimalJob } from '../../../../client/comfyui/jobRecords';

export const progress = (value: number, more = {}): JobEvent => ({
	kind: 'progress',
	progress: { value, nodes_done: 0, nodes_total: 4, current_node: '3', step: 1, steps: 20, ...more },
});

export const status = (word: string): JobEvent => ({ kind: 'status', status: word, service_status: `raw ${word}`, queue_position: null });

export const output = (name: string, node_id = '9'): JobOutput => ({
	node_id,
	name,
	type: 'image',
	content_type: 'image/png',
	size_bytes: 0,
	id: null,
	hash: null,
	url: `http://127.0.0.1/view?filename=${name}`,
	url_expires_at: null,
});

export const job = (jobId: string, word: string, more: Partial<Job> = {}): Job => ({ ...minimalJob(jobId, 'v1', word, word), ...more });

/** One line for each event. */
export const lines = (events: TriggerEvent[]): string[] =>
	events.map(({ kind, job_id, milestone, percent, status: word, outputs }) =>
		[job_id, kind, milestone ?? (kind === 'output' ? outputs[0]?.name : kind === 'progress' ? percent : word)].join(' '),
	);
