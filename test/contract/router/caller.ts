/** Plain HTTP to the router, every answer held against contract/router.yaml. */
import { randomUUID } from 'node:crypto';
import type { Sandbox } from '../../../sandbox';
import { type Answered, checkedCall, OpenApi, type RequestOptions } from '../openApi';

export const contract = new OpenApi('router.yaml');

export interface CallOptions extends RequestOptions {
	/** `lab/every-feature` by default. */
	model?: string;
	/** Id of a queued request. */
	request?: string;
	idempotencyKey?: string;
	/** `null` for none; that of the main account by default. */
	apiKey?: string | null;
}

export class RouterCaller {
	/** Which statuses each operation answered. */
	readonly seen = new Map<string, Set<number>>();

	constructor(
		readonly sandbox: Sandbox,
		readonly prefix: 'v1' | 'v2' = 'v1',
	) {}

	get address(): string {
		return `${this.sandbox.urls.router}/${this.prefix}`;
	}

	async call(
		operationId: string,
		{ model = 'lab/every-feature', request = '', idempotencyKey, apiKey = this.sandbox.keys.apiKey, headers, ...options }: CallOptions = {},
	): Promise<Answered> {
		const answered = await checkedCall(contract, operationId, this.address, {
			...options,
			name: [...model.split('/'), request],
			headers: {
				...(apiKey !== null && { 'x-api-key': apiKey }),
				...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
				...headers,
			},
		});
		this.seen.set(operationId, (this.seen.get(operationId) ?? new Set<number>()).add(answered.status));
		return answered;
	}

	async run(model: string, json: unknown, options: CallOptions = {}): Promise<Answered> {
		return await this.call('runModel', { model, json, ...options });
	}

	/** Queues a run. @returns the request's id. */
	async queued(model: string, json: unknown, options: CallOptions = {}): Promise<string> {
		const { status, json: answer } = await this.call('submitRequest', { model, json, ...options });
		if (status !== 201) throw new Error(`Not queued: ${status} ${JSON.stringify(answer)}`);
		return String(answer.request_id);
	}

	/** Reads a queued request until it has this state. */
	async reaches(model: string, request: string, status: string): Promise<Record<string, unknown>> {
		for (;;) {
			const { json } = await this.call('getRequestStatus', { model, request });
			if (json.status === status) return json;
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	}

	/** All pages, each with this limit. */
	async walk(limit: string): Promise<Array<Record<string, unknown>>> {
		const pages: Array<Record<string, unknown>> = [];
		for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined;) {
			const query = new URLSearchParams({ limit, ...(cursor !== undefined && { cursor }) });
			const { json } = await this.call('listModels', { query: query.toString() });
			pages.push(json);
			cursor = json.has_more === true ? String(json.next_cursor) : undefined;
		}
		return pages;
	}
}

export const newKey = (): string => randomUUID();

export const bucketOf = ({ headers }: Answered): string | null => headers.get('x-service-error-type');

/** Back to a router that refuses nothing. */
export function calmDown(sandbox: Sandbox): void {
	sandbox.clearFaults();
	sandbox.configure({ routerHoldMs: 600_000, routerPrefixes: 'both', requestIdHeader: 'X-Service-Request-Id' });
	sandbox.setCredits('main', Infinity);
	sandbox.setSpendLimit('main', null);
	sandbox.setRouterConcurrency(Infinity);
	sandbox.setRouterBacklog(Infinity);
	sandbox.setRouterEnabled(true);
}
