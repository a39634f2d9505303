import { type FieldGroup, hasSeedFields, onePerKey, outcomeOf } from '../../../../client';
import type { ModelRouterConnection, RouterItem } from '../../../shared/connect/routerConnections';
import { addHint } from '../../../shared/hints';
import { messages } from '../../../shared/messages/catalogue';
import { noSeed } from '../../../shared/messages/topics/router';
import { readModel } from '../../models';

/** The models that a run of the node has given the hint about. */
const modelsWithChargesHint = onePerKey<ModelRouterConnection, Set<string>>(() => new Set());
const modelsWithSeedsHint = onePerKey<ModelRouterConnection, Set<string>>(() => new Set());

/** Adds the model. @returns whether it was not there before. */
function addModel(models: Set<string>, model: string): boolean {
	if (models.has(model)) return false;
	models.add(model);
	return true;
}

/** Adds a hint for each model that charges, or may charge, for runs that its content policy rejects. */
export async function hintAtCharges({ execution, connection, signal }: RouterItem, model: string): Promise<void> {
	if (!addModel(modelsWithChargesHint(connection), model)) return;
	const detail = await outcomeOf(readModel(connection, model, signal));
	const charges = detail.ok ? detail.value.charges_on_policy_rejection : 'no';
	if (charges === 'no') return;
	addHint(execution, charges === 'yes' ? messages.MODEL_CHARGES_REJECTIONS(model) : messages.MODEL_CHARGES_UNKNOWN(model));
}

/** Adds a hint for each model without a seed. @param tree undefined if the model has no schema. */
export function hintAtNoSeeds({ execution, connection }: RouterItem, model: string, tree: FieldGroup | undefined): void {
	if ((tree !== undefined && hasSeedFields(tree)) || !addModel(modelsWithSeedsHint(connection), model)) return;
	const reason = tree === undefined ? noSeed.noSchema(model) : noSeed.noSeedInSchema(model);
	addHint(execution, messages.MODEL_WITHOUT_SEED(reason), 'warning');
}
