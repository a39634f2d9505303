import type { ITriggerFunctions } from 'n8n-workflow';

import { ApiError, ConnectionError, isNotFound, type Trouble, UnknownUserError, UnreadableAnswerError } from '../../client';
import type { ServiceCredential } from '../shared/credentials';
import { wordsFor } from '../shared/explain/wordsFor';
import { messages } from '../shared/messages/catalogue';
import { inOneText } from '../shared/messages/words';
import { type NodeError, nodeErrorFor } from '../shared/nodeErrors';

/** n8n 2 can show an error in the list of executions while the trigger keeps listening. n8n 1 has only its log. */
interface SavesFailures {
	saveFailedExecution?(error: NodeError): void;
}

/** Whether only the user can fix it, for example a key, an address, or the id of a job that does not exist. */
function needsUser(error: unknown): boolean {
	if (error instanceof ApiError) return error.status < 500 || error.status === 501;
	if (error instanceof UnreadableAnswerError) return error.status < 500 && error.facts.reason !== 'truncated';
	if (error instanceof UnknownUserError) return true;
	return error instanceof ConnectionError && ['tls', 'no_tls', 'only_tls', 'blocked', 'invalid_address'].includes(error.trouble);
}

/**
 * Reports errors while a trigger listens. The trigger never throws them, because n8n deactivates a trigger after a few errors
 * although a service may come back. Each error becomes a line in n8n's log. An error that the user must fix also becomes one
 * failed execution.
 */
export class TroubleReporter {
	/** Messages by the address of the server of a pool, or else by an empty text. */
	private readonly reported = new Map<string, Set<string>>();
	/** An unknown job remains unknown, so it is reported once. */
	private readonly reportedJobs = new Set<string>();

	constructor(
		private readonly trigger: ITriggerFunctions,
		private readonly credential: ServiceCredential,
	) {}

	report({ error, retryInMs, jobId, server }: Trouble): void {
		const isAboutJob = jobId !== undefined && isNotFound(error);
		const words = isAboutJob ? messages.WATCHED_JOB_NOT_FOUND(jobId) : wordsFor(error, this.credential);
		const reported = isAboutJob ? this.reportedJobs : this.reportedBy(server);
		if (reported.has(words.message)) return;
		reported.add(words.message);
		const next = retryInMs === null ? 'no retry' : `retry in ${Math.round(retryInMs / 1000)} s`;
		this.trigger.logger.warn(`Comfy Progress Trigger: ${inOneText(words)}`, { node: this.trigger.getNode().name, next });
		if (!needsUser(error)) return;
		(this.trigger as unknown as SavesFailures).saveFailedExecution?.(nodeErrorFor(this.trigger, error, words));
	}

	/** Forgets what was reported after the connection is back, so that the next error is reported again. */
	reset(server?: string): void {
		this.reportedBy(server).clear();
	}

	private reportedBy(server = ''): Set<string> {
		const messages = this.reported.get(server) ?? new Set();
		this.reported.set(server, messages);
		return messages;
	}
}
