/**
 * The form in which n8n stores a submission, with the node's context. Executions live longer than a version of this package:
 * a field may be added, but none may change its meaning.
 */
import type { IDataObject } from 'n8n-workflow';

import type { InterfaceName } from '../../../client';
import type { ItemSubmission, SubmissionState } from './itemSubmission';

/** It must survive JSON. Times are epoch milliseconds. */
export interface StoredSubmission extends IDataObject {
	key: string | null;
	draw_key?: string;
	hash: string;
	sent_at: number;
	facts?: IDataObject;
	interface?: InterfaceName;
	may_exist_since?: number;
	stopped_at?: number;
	endings?: number;
	replaced_jobs?: string[];
	found?: boolean;
	/** Router runs: what was sent. */
	sent?: IDataObject;
	/** The state is `notSubmitted`, or with `replaced` it is `replaced`. Without any of these five fields it is `unconfirmed`. */
	refused?: boolean;
	replaced?: boolean;
	job_id?: string;
	answered?: boolean;
	/** The state is `accepted`, and not reported. */
	untold?: boolean;
	/** The state is `unconfirmed`: the JSON of the graph. */
	sent_graph?: string;
}

function parseState(stored: StoredSubmission): SubmissionState {
	const { refused, replaced, answered, untold, job_id: jobId, sent_graph: sentGraph } = stored;
	if (replaced === true) return { kind: 'replaced' };
	if (refused === true) return { kind: 'notSubmitted' };
	if (answered === true) return { kind: 'answered', jobId };
	if (jobId !== undefined) return { kind: 'accepted', jobId, isUnreported: untold };
	return { kind: 'unconfirmed', sentGraph };
}

export const parseSubmission = (stored: StoredSubmission): ItemSubmission => ({
	state: parseState(stored),
	key: stored.key,
	seedKey: stored.draw_key,
	hash: stored.hash,
	openedAt: stored.sent_at,
	facts: stored.facts,
	interface: stored.interface,
	mayExistSince: stored.may_exist_since,
	stoppedAt: stored.stopped_at,
	endings: stored.endings ?? 0,
	replacedJobIds: stored.replaced_jobs ?? [],
	isRecovered: stored.found,
	order: stored.sent,
});

function fieldsOfState(state: SubmissionState): Partial<StoredSubmission> {
	switch (state.kind) {
		case 'notSubmitted':
			return { refused: true };
		case 'replaced':
			return { refused: true, replaced: true };
		// n8n may die before the answer comes.
		case 'sending':
		case 'unconfirmed':
			return { sent_graph: state.sentGraph };
		case 'accepted':
			return { job_id: state.jobId, untold: state.isUnreported === true ? true : undefined };
		case 'answered':
			return { job_id: state.jobId, answered: true };
	}
}

/** Fields without a value are left out. A run may have thousands of items, and each event stores one of them. */
export function toStored({ state, endings, replacedJobIds, ...submission }: ItemSubmission): StoredSubmission {
	const stored: StoredSubmission = { key: submission.key, hash: submission.hash, sent_at: submission.openedAt };
	const fields: Partial<StoredSubmission> = {
		draw_key: submission.seedKey,
		facts: submission.facts,
		interface: submission.interface,
		may_exist_since: submission.mayExistSince,
		stopped_at: submission.stoppedAt,
		endings: endings > 0 ? endings : undefined,
		replaced_jobs: replacedJobIds.length > 0 ? replacedJobIds : undefined,
		found: submission.isRecovered,
		sent: submission.order,
		...fieldsOfState(state),
	};
	for (const name in fields) if (fields[name] !== undefined) stored[name] = fields[name];
	return stored;
}
