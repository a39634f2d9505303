/** How many calls, and how much money, an account has in flight. */
import type { AccountName } from '../../vocabulary';
import type { Model } from '../model';
import { tooManyAtOnce } from '../refusal';
import type { RouterLimits } from '../routerParts';

export interface CallFacts {
	account: AccountName;
	model: Model;
}

export class InFlight {
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
