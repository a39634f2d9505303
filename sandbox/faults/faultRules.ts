import { routeMatcher, type RouteTarget } from '../http/routeMatcher';
import type { FaultHandle, FaultRule } from '../fault';

interface ActiveRule {
	rule: FaultRule;
	matches(target: RouteTarget): boolean;
	seen: number;
	used: number;
}

/** The faults waiting for their requests; of several that match, the oldest goes first. */
export class FaultRules {
	#active: ActiveRule[] = [];

	/** @throws Error when the rule names no route, or nothing to do. */
	inject(rule: FaultRule): FaultHandle {
		if (rule.answer === undefined && rule.fault === undefined) throw new Error('A fault rule needs an answer or a fault');
		const active: ActiveRule = { rule, matches: routeMatcher(rule.on, rule.surface), seen: 0, used: 0 };
		this.#active.push(active);
		return {
			get used() {
				return active.used;
			},
			remove: () => {
				this.#active = this.#active.filter((other) => other !== active);
			},
		};
	}

	clear(): void {
		this.#active = [];
	}

	/** The rule that hits this request, counted as used. */
	take(target: RouteTarget): FaultRule | undefined {
		for (const active of this.#active) {
			const { skip = 0, times = 1 } = active.rule;
			if (active.used >= times || !active.matches(target)) continue;
			active.seen += 1;
			if (active.seen <= skip) continue;
			active.used += 1;
			return active.rule;
		}
		return undefined;
	}
}
