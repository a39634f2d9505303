import type { ITriggerFunctions } from 'n8n-workflow';

import { ApiError, ConnectionError, isNotFound, type Trouble, UnknownUserError, UnreadableAnswerError } from '../../client';
import type { ServiceCredential } from '../shared/credentials';
import type { Words } from '../shared/messages/words';
import { wordsFor } from '../shared/messages/wordsFor';
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

const unknownJob = (jobId: string): Words => ({
	message: `The service has no job with the ID ${jobId}`,
	advice: 'Correct or remove it under Job IDs. The job may belong to another account or server, or its retention time may be over.',
});

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
		const { message, advice } = isAboutJob ? unknownJob(jobId) : wordsFor(error, this.credential);
		const reported = isAboutJob ? this.reportedJobs : this.reportedBy(server);
		if (reported.has(message)) return;
		reported.add(message);
		const next = retryInMs === null ? 'no retry' : `retry in ${Math.round(retryInMs / 1000)} s`;
		this.trigger.logger.warn(`Comfy Progress Trigger: ${message}. ${advice}`, { node: this.trigger.getNode().name, next });
		if (!needsUser(error)) return;
		(this.trigger as unknown as SavesFailures).saveFailedExecution?.(nodeErrorFor(this.trigger, error, { message, advice }));
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
