import { outcomeOf } from '../../../client';
import type { RouterContext, RouterLink } from '../../shared/routerConnect';
import { detailOf } from './facts';

const hinted = new WeakMap<RouterLink, Set<string>>();

function isFirst(link: RouterLink, model: string): boolean {
	const models = hinted.get(link) ?? new Set<string>();
	hinted.set(link, models);
	return !models.has(model) && models.add(model) !== undefined;
}

/** Says once for each model of a run that refusals by content policy cost, or may cost. What cannot be read is left unsaid. */
export async function hintAtCharges({ execution, connection, settings: { model }, signal }: RouterContext<{ model: string }>): Promise<void> {
	if (!isFirst(connection, model)) return;
	const detail = await outcomeOf(detailOf(connection, model, signal));
	const charges = detail.ok ? detail.value.charges_on_policy_rejection : 'no';
	if (charges === 'no') return;
	const message =
		charges === 'yes'
			? `${model} also charges for runs that its content policy refuses.`
			: `Whether ${model} charges for runs that its content policy refuses is not known.`;
	execution.addExecutionHints({ message });
}
