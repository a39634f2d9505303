import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { ItemResult } from '../operation';
import { answerOf, type ItemFailure } from './itemFailure';

/** What came of an item; undefined of one that was not begun. */
export type ItemOutcome = { results: ItemResult[] } | { failure: ItemFailure };

export const isFailed = (outcome: ItemOutcome | undefined): outcome is { failure: ItemFailure } =>
	outcome !== undefined && 'failure' in outcome;

/** n8n's Retry On Fail runs a node again whose item has a top-level `error`, so a field of that name is set aside. */
function withoutErrorField({ error, ...json }: IDataObject): IDataObject {
	return error === undefined ? json : { ...json, service_error: error };
}

/** What a node gives out: results in the order of its items and paired with them; a failure is an item, too. */
export function outputItems(
	outcomes: ReadonlyArray<ItemOutcome | undefined>,
	outputCount: number,
	isTool: boolean,
): INodeExecutionData[][] {
	const outputs: INodeExecutionData[][] = Array.from({ length: outputCount }, () => []);
	for (const [itemIndex, outcome] of outcomes.entries()) {
		if (outcome === undefined) continue;
		if (isFailed(outcome)) {
			outputs[0]?.push(isTool ? answerOf(outcome.failure) : outcome.failure.item);
			continue;
		}
		for (const { json, binary, output = 0 } of outcome.results) {
			outputs[isTool ? 0 : output]?.push({ json: withoutErrorField(json), binary, pairedItem: { item: itemIndex } });
		}
	}
	return outputs;
}
