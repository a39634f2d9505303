/** Work at the providers: it goes on when the caller has left, and is billed once when it completes. */
import type { AccountName } from '../vocabulary';
import { factsOf, tooManyAtOnce } from './refusals';
import { creditsOf, type Generated, type JsonObject, type Model } from './model';
import type { RouterLimits, RouterParts } from './routerParts';

export interface GenerationOrder extends CallFacts {
	input: JsonObject;
	idempotencyKey: string | undefined;
	requestId: string;
	/** Whether another provider may stand in. */
	fallback: boolean;
	/** Top-level inputs that were left out for another provider. */
	dropped: string[];
}

export class Generation {
	/** Whether the provider has taken the work, so that it can be collected. */
	accepted = false;
	/** The provider that stood in. */
	fallbackProvider: string | undefined;
	/** Has neither completed nor failed. */
	running = true;
	readonly #abort = new AbortController();
	/** @throws RouterRefusal when the provider did not deliver. */
	readonly result: Promise<Generated>;

	constructor(
		readonly order: GenerationOrder,
		work: (generation: Generation, signal: AbortSignal) => Promise<Generated>,
	) {
		this.result = work(this, this.#abort.signal).finally(() => {
			this.running = false;
		});
		// Nobody may be waiting for it any more.
		this.result.catch(() => undefined);
	}

	abort(): void {
		this.#abort.abort();
	}
}

export class Generations {
	readonly inFlight: InFlight;
	readonly #running = new Set<Generation>();

	constructor(private readonly parts: RouterParts & { limits: RouterLimits }) {
		this.inFlight = new InFlight(parts.limits);
	}

	/** Sends the work to its provider. @throws RouterRefusal `concurrency_limit_exceeded` when the account has too much in flight. */
	start(order: GenerationOrder): Generation {
		this.inFlight.enter(order);
		const generation = new Generation(order, async (own, signal) => await this.#work(own, order, signal));
		this.#running.add(generation);
		return generation;
	}

	/** Ends whatever runs. */
	async close(): Promise<void> {
		const running = [...this.#running];
		for (const generation of running) generation.abort();
		await Promise.allSettled(running.map(({ result }) => result));
	}

	async #work(generation: Generation, order: GenerationOrder, signal: AbortSignal): Promise<Generated> {
		const { model, input, fallback } = order;
		// Begins only after the constructor of the generation has returned.
		await Promise.resolve();
		generation.accepted = model.acceptsLate !== true;
		try {
			const result = await model.generate(input, {
				signal,
				fallback,
				store: async (bytes, contentType) => await this.#store(bytes, contentType),
				accepted: () => {
					generation.accepted = true;
				},
				fellBackTo: (provider) => {
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
			this.inFlight.leave(order);
		}
	}

	async #store(bytes: Buffer, contentType: string): Promise<string> {
		const { blobs, signer, behaviour } = this.parts;
		return signer.sign((await blobs.write(bytes)).id, contentType, behaviour.linkLifetimeSeconds).url;
	}

	#bill({ model, account, idempotencyKey, requestId }: GenerationOrder): void {
		const { ledger, credits } = this.parts;
		const left = credits.get(account);
		const price = creditsOf(model);
		if (left !== undefined) credits.set(account, left - Number(price));
		ledger.routerRuns.push({ model: model.id, account, idempotencyKey, credits: price, requestId, at: Date.now() });
	}
}

interface CallFacts {
	account: AccountName;
	model: Model;
}

class InFlight {
	readonly #calls = new Map<AccountName, CallFacts[]>();

	constructor(private readonly limits: RouterLimits) {}

	/** @throws RouterRefusal `concurrency_limit_exceeded` when the account may not begin another call. */
	enter(call: CallFacts): void {
		const { account, model } = call;
		const calls = this.#of(account);
		if (calls.length >= this.limits.concurrency) throw tooManyAtOnce(`At most ${this.limits.concurrency} calls may be in flight`);
		const limit = this.limits.spend.get(account);
		if (limit !== undefined && this.#spent(account) + model.priceCents > limit) {
			throw tooManyAtOnce('The committed in-flight spend limit is reached', { headers: this.spendHeaders(account) });
		}
		this.#calls.set(account, [...calls, call]);
	}

	leave(call: CallFacts): void {
		this.#calls.set(
			call.account,
			this.#of(call.account).filter((other) => other !== call),
		);
	}

	/** In whole US cents; empty for an account without a limit. */
	spendHeaders(account: AccountName): Record<string, string> {
		const limit = this.limits.spend.get(account);
		if (limit === undefined) return {};
		const current = this.#spent(account);
		return {
			'X-Committed-Spend-Limit': String(limit),
			'X-Committed-Spend-Current': String(current),
			'X-Committed-Spend-Remaining': String(Math.max(0, limit - current)),
		};
	}

	#of(account: AccountName): CallFacts[] {
		return this.#calls.get(account) ?? [];
	}

	#spent(account: AccountName): number {
		return this.#of(account).reduce((sum, { model }) => sum + model.priceCents, 0);
	}
}
