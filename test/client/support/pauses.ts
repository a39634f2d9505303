import { type Decision, withObserver } from '../../../client/log/observer';
import { outcomeOf } from '../../../client/async/outcome';

/** How long it is paused before each further attempt, in milliseconds, while the work is done; what becomes of that is its own affair. */
export async function pausesOf(work: () => Promise<unknown>): Promise<number[]> {
	const pauses: number[] = [];
	const observer = {
		onExchange: () => undefined,
		onDecision: (decision: Decision) => void (decision.kind === 'retry' && pauses.push(decision.inMs)),
	};
	await outcomeOf(withObserver(observer, work));
	return pauses;
}
