/** Work at the providers. It continues when the caller disconnects, and is billed once when it completes. */
import { LINK_LIFETIME_SECONDS } from '../storage/signedLinks';
import type { AccountName } from '../vocabulary';
import { factsOf } from './refusals';
import { centsOf, creditsOf, type Generated, type JsonObject, type Model } from './model';
import type { RouterLimits, RouterParts } from './routerParts';

export interface GenerationOrder {
	account: AccountName;
	model: Model;
	input: JsonObject;
	idempotencyKey: string | undefined;
	requestId: string;
	/** Whether another provider may be used if this one fails. */
	fallback: boolean;
	/** Top-level inputs that were removed because the other provider does not support them. */
	dropped: string[];
}

export class Generation {
	/** The provider that was used instead. */
	fallbackProvider: string | undefined;
	/** Whether it has neither completed nor failed. */
	running = true;
	readonly #abort = new AbortController();
	/** Rejects with a RouterRefusal if the provider fails. */
	readonly result: Promise<Generated>;

	constructor(
		readonly order: GenerationOrder,
		work: (generation: Generation, signal: AbortSignal) => Promise<Generated>,
	) {
		this.result = work(this, this.#abort.signal).finally(() => {
			this.running = false;
		});
		// The caller may have disconnected.
		this.result.catch(() => undefined);
	}

	abort(): void {
		this.#abort.abort();
	}
}

export class Generations {
	readonly #running = new Set<Generation>();

	constructor(private readonly parts: RouterParts & { limits: RouterLimits }) {}

	/** Sends the work to its provider. */
	start(order: GenerationOrder): Generation {
		const generation = new Generation(order, async (own, signal) => await this.#work(own, order, signal));
		this.#running.add(generation);
		return generation;
	}

	/** Aborts running generations and waits for their end. */
	async close(): Promise<void> {
		const running = [...this.#running];
		for (const generation of running) generation.abort();
		await Promise.allSettled(running.map(({ result }) => result));
	}

	/** What the calls of an account in flight cost, in whole US cents; empty if the account has no limit. */
	spendHeaders(account: AccountName): Record<string, string> {
		const limit = this.parts.limits.spend.get(account);
		if (limit === undefined) return {};
		const orders = [...this.#running].map(({ order }) => order).filter((order) => order.account === account);
		const current = orders.reduce((sum, { model, input }) => sum + centsOf(model, input), 0);
		return {
			'X-Committed-Spend-Limit': String(limit),
			'X-Committed-Spend-Current': String(current),
			'X-Committed-Spend-Remaining': String(Math.max(0, limit - current)),
		};
	}

	async #work(generation: Generation, order: GenerationOrder, signal: AbortSignal): Promise<Generated> {
		const { model, input, fallback } = order;
		// The constructor of the generation must return first.
		await Promise.resolve();
		try {
			const result = await model.generate(input, {
				signal,
				fallback,
				store: async (bytes, contentType) => await this.#store(bytes, contentType),
				onFallback: (provider) => {
					generation.fallbackProvider = provider;
				},
			});
			this.#bill(order);
			return result;
		} catch (error) {
			if (!signal.aborted && model.chargesOnRefusal === 'yes' && factsOf(error).bucket === 'content_policy_violation') this.#bill(order);
			throw error;
		} finally {
			this.#running.delete(generation);
		}
	}

	async #store(bytes: Buffer, contentType: string): Promise<string> {
		const { blobs, signer } = this.parts;
		return signer.sign((await blobs.write(bytes)).id, contentType, LINK_LIFETIME_SECONDS).url;
	}

	#bill({ model, input, account, idempotencyKey, requestId }: GenerationOrder): void {
		const credits = creditsOf(model, input);
		this.parts.ledger.routerRuns.push({ model: model.id, account, idempotencyKey, credits, requestId, at: Date.now() });
	}
}
