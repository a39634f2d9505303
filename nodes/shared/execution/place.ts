import type { IExecuteFunctions } from 'n8n-workflow';

import { beyondInterface } from './beyondInterface';
import type { ExecutionPlace } from './executionPlace';
import { hashOfItems } from './hashOfItems';
import { ordinalOf } from './ordinalOf';
import { mayRepeat } from './mayRepeat';
import { firstOf } from './firstOf';
import { startItems } from './runs';
import { isSubWorkflow, subWorkflowPlace } from './subWorkflow';

const FIELD = 'comfyOrdinal';

const places = new WeakMap<IExecuteFunctions, ExecutionPlace>();

const known = new WeakMap<IExecuteFunctions, Promise<void>>();

/** Awaited before a place is asked for: what a sub-workflow is known by may have to be read. */
export function knowPlace(execution: IExecuteFunctions): Promise<void> {
	const asked = known.get(execution) ?? subWorkflowPlace(execution).then((place) => void (place && places.set(execution, place)));
	known.set(execution, asked);
	return asked;
}

/** Worked out once for each run of a node. */
export function executionPlace(execution: IExecuteFunctions): ExecutionPlace {
	const place = places.get(execution) ?? placeInOwn(execution);
	places.set(execution, place);
	return place;
}

function placeInOwn(execution: IExecuteFunctions): ExecutionPlace {
	const workflowId = execution.getWorkflow().id ?? '';
	const context = execution.getExecutionContext?.();
	const isRetry = execution.getMode?.() === 'retry';
	// A context that came with the retry itself says nothing of the first start: n8n before 2.20 keeps none when it dies.
	if (context === undefined || context.source === 'retry' || mayRepeat(execution) || isSubWorkflow(execution)) {
		const isRetried = isRetry || beyondInterface(execution).additionalData?.rootExecutionMode === 'retry';
		return { parts: [workflowId, execution.getExecutionId()], ...(isRetried && { isStartLost: true }) };
	}
	const { establishedAt } = context;
	const parts = [workflowId, establishedAt, hashOfItems(startItems(execution))];
	return { parts: [...parts, ordinalIn(execution, JSON.stringify(parts), isRetry)], ...(isRetry && { mayHaveSentSince: establishedAt }) };
}

/**
 * Tells executions apart that began in the same millisecond with the same items. n8n keeps it after an ordinary failure;
 * after a crash a retry counts as what comes in the place of the one that it is a retry of, and as the first where n8n
 * does not say which.
 */
function ordinalIn(execution: IExecuteFunctions, place: string, isRetry: boolean): number {
	const kept = execution.getContext('flow');
	const { retryOf } = beyondInterface(execution).additionalData?.hooks ?? {};
	const isUnknown = isRetry && retryOf === undefined;
	const ordinal = (kept[FIELD] as number | undefined) ?? (isUnknown ? 0 : ordinalOf(place, firstOf(execution.getExecutionId(), retryOf)));
	kept[FIELD] = ordinal;
	return ordinal;
}
