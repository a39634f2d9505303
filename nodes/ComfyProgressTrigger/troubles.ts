import type { ITriggerFunctions } from 'n8n-workflow';

import { ApiError, ConnectionError, type Trouble, UnreadableAnswerError } from '../../client';
import type { Words } from '../shared/messages/words';
import { wordsFor } from '../shared/messages/wordsFor';
import { nodeErrorFor } from '../shared/nodeErrors';
import type { ServiceCredential } from '../shared/credentials';
import { saveFailedExecution } from './host';

/** Whether nobody but the user can mend it: a key, an address, a job that does not exist. */
function needsUser(error: unknown): boolean {
	if (error instanceof ApiError) return error.status < 500 || error.status === 501;
	if (error instanceof UnreadableAnswerError) return error.status < 500 && error.facts.reason !== 'truncated';
	return error instanceof ConnectionError && ['tls', 'no_tls', 'only_tls', 'blocked', 'invalid_address'].includes(error.trouble);
}

const isUnknown = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

const unknownJob = (jobId: string): Words => ({
	message: `The service knows no job ${jobId}`,
	advice:
		'Correct or remove it under Job IDs. It may belong to another account or server, or its results may have been deleted after their retention time.',
});

/**
 * Says what goes wrong while a trigger listens. Nothing here ends it: n8n gives a trigger up for good after a few
 * errors of its own, and a service that is down comes back. What the user must mend becomes a failed execution, once
 * (n8n 2), and a line in n8n's log; the rest is a line in the log.
 */
export class Troubles {
	private readonly told = new Set<string>();
	/** A job that nobody knows stays unknown. */
	private readonly unknownJobs = new Set<string>();

	constructor(
		private readonly trigger: ITriggerFunctions,
		private readonly credential: ServiceCredential,
	) {}

	tell({ error, retryInMs, jobId }: Trouble): void {
		const isAboutJob = jobId !== undefined && isUnknown(error);
		const { message, advice } = isAboutJob ? unknownJob(jobId) : wordsFor(error, this.credential);
		const told = isAboutJob ? this.unknownJobs : this.told;
		if (told.has(message)) return;
		told.add(message);
		const next = retryInMs === null ? 'not tried again' : `tried again in ${Math.round(retryInMs / 1000)} s, and on`;
		this.trigger.logger.warn(`Comfy Progress Trigger: ${message}. ${advice}`, { node: this.trigger.getNode().name, next });
		if (needsUser(error)) saveFailedExecution(this.trigger, nodeErrorFor(this.trigger, error, { message, advice }));
	}

	/** Whatever comes next is told anew. */
	isOver(): void {
		this.told.clear();
	}
}
