import { type FieldGroup, outcomeOf, hasSeedFields } from '../../../../client';
import type { RouterContext, RouterLink } from '../../../shared/connect/routerConnect';
import { detailOf } from '../../modelCache';

type ModelContext = RouterContext<{ model: string }>;

/** The models that something has been said of, in each run of the node. */
type Told = WeakMap<RouterLink, Set<string>>;

const toldOfCharges: Told = new WeakMap();
const toldOfSeeds: Told = new WeakMap();

function isFirst(told: Told, link: RouterLink, model: string): boolean {
	const models = told.get(link) ?? new Set<string>();
	told.set(link, models);
	return !models.has(model) && models.add(model) !== undefined;
}

/** Says once for each model of a run that refusals by content policy cost, or may cost. What cannot be read is left unsaid. */
export async function hintAtCharges({ execution, connection, settings: { model }, signal }: ModelContext): Promise<void> {
	if (!isFirst(toldOfCharges, connection, model)) return;
	const detail = await outcomeOf(detailOf(connection, model, signal));
	const charges = detail.ok ? detail.value.charges_on_policy_rejection : 'no';
	if (charges === 'no') return;
	const message =
		charges === 'yes'
			? `${model} also charges for runs that its content policy refuses.`
			: `Whether ${model} charges for runs that its content policy refuses is not known.`;
	execution.addExecutionHints({ message });
}

/** Says once for each model of a run that it has no seed to draw. @param tree undefined where no schema has been written. */
export function hintAtNoSeeds({ execution, connection, settings: { model } }: ModelContext, tree: FieldGroup | undefined): void {
	if ((tree !== undefined && hasSeedFields(tree)) || !isFirst(toldOfSeeds, connection, model)) return;
	const why = tree === undefined ? `No input schema has been written for ${model}` : `The input schema of ${model} names no seed`;
	execution.addExecutionHints({
		message: `${why}, so that the option Seeds changes nothing. Set it to As In The Input; a seed that the provider documents can be given in Input (JSON).`,
		type: 'warning',
	});
}
