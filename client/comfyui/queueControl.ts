import { jsonBody, type ServiceApi } from '../api';
import { isRecord, type JsonRecord, requireRecord } from '../decode';
import type { CallOptions, ServerControl, JobQueue } from '../ports';
import { hasNoEffect } from '../transport/retry';
import { decodeQueue } from './queue';

/** Queue and node definitions of the account. Engines have the same routes. */
export class QueueControl implements ServerControl {
	constructor(protected readonly api: ServiceApi) {}

	async queue(options: CallOptions = {}): Promise<JobQueue> {
		return await this.api.read(this.api.url('/queue'), decodeQueue, options);
	}

	/** Repeatable: a job that is out of the queue stays out. */
	async deleteFromQueue(jobIds: string[], { signal }: CallOptions = {}): Promise<JsonRecord> {
		const request = { method: 'POST' as const, url: this.api.url('/queue'), ...jsonBody({ delete: jobIds }) };
		return await this.api.repeat(
			async () => {
				const response = await this.api.send({ ...request, signal, totalMs: this.api.limits.requestMs });
				const text = await response.text();
				const json = text === '' ? {} : response.parseJson(text, { orElse: {} });
				return isRecord(json) ? json : {};
			},
			{ signal },
		);
	}

	/** Sent again only when the service has certainly not received it: another job may be running by then. */
	async interrupt({ signal }: CallOptions = {}): Promise<void> {
		const send = () => this.api.send({ method: 'POST', url: this.api.url('/interrupt'), signal, totalMs: this.api.limits.requestMs });
		const response = await this.api.repeat(send, { signal }, { isWorthRetrying: hasNoEffect });
		await response.discard();
	}

	async nodeDefinitions(options: CallOptions = {}): Promise<Record<string, JsonRecord>> {
		return await this.readDefinitions('/object_info', options);
	}

	protected async readDefinitions(path: string, options: CallOptions): Promise<Record<string, JsonRecord>> {
		return await this.api.read(this.api.url(path), decodeDefinitions, options);
	}
}

const decodeDefinitions = (value: unknown): Record<string, JsonRecord> =>
	Object.fromEntries(
		Object.entries(requireRecord(value, 'definitions')).filter((entry): entry is [string, JsonRecord] => isRecord(entry[1])),
	);
