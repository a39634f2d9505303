/** All models, and finding one of them. */
import type { AccountName } from '../../vocabulary';
import { isClosedTo, type Model, type ModelParams } from '../model';
import { RouterRefusal } from '../refusal';
import { labModels } from './labModels';
import { partnerModels } from './partnerModels';

const MOST_SUGGESTIONS = 3;

export class Catalog {
	readonly models: readonly Model[] = [...partnerModels(), ...labModels()].sort((left, right) => (left.id < right.id ? -1 : 1));
	readonly providers: readonly string[] = [...new Set(this.models.map(({ provider }) => provider))];

	/** @throws RouterRefusal `model_not_found`, with up to three similar ids that this account may see in its words. */
	find({ provider, model }: ModelParams, account: AccountName): Model {
		const id = `${provider}/${model}`;
		const found = this.models.find((candidate) => candidate.id === id);
		if (found !== undefined) return found;
		const similar = this.#similarTo(id, account);
		const suggestions = similar.length > 0 ? `. Did you mean ${similar.join(', ')}?` : '';
		throw new RouterRefusal({ status: 404, bucket: 'model_not_found', detail: `No runnable model ${id.slice(0, 200)}${suggestions}` });
	}

	/** Ids that share half of their letter pairs, the most similar first. */
	#similarTo(id: string, account: AccountName): string[] {
		const wanted = pairs(id.toLowerCase());
		return this.models
			.filter((model) => !isClosedTo(model, account))
			.map((model) => ({ id: model.id, likeness: likeness(wanted, pairs(model.id)) }))
			.filter((candidate) => candidate.likeness > 0.5)
			.sort((left, right) => right.likeness - left.likeness)
			.slice(0, MOST_SUGGESTIONS)
			.map((candidate) => candidate.id);
	}
}

const pairs = (text: string): Set<string> => new Set([...text].slice(1).map((letter, index) => `${text[index] ?? ''}${letter}`));

function likeness(left: Set<string>, right: Set<string>): number {
	const common = [...left].filter((pair) => right.has(pair)).length;
	return (2 * common) / Math.max(1, left.size + right.size);
}
