/** The option *Run Failed Jobs Again*: whether a retry runs a job again that has failed or that the service has lost. */
import { type ApiGraph, clock, findDefinition, hasPartnerNodes, listClassNames, outcomeOf } from '../../../../client';
import { runFailedJobsAgain } from '../../descriptions/jobFields';
import { requireChoice } from '../../itemFault';
import type { RetryEffect } from '../../explain/jobs';
import type { ItemContext } from '../../operation';
import type { KeyOptions } from '../../submission/keys';
import { conversionContext } from '../../workflows/controlServer';
import { readDefinitions } from '../../workflows/convert';

/** `ifFree`: only on an own ComfyUI, and only workflows without partner nodes. `always`: also where a run is billed. */
export type RunFailedJobsAgain = 'no' | 'ifFree' | 'always';

/** @throws ItemFault for an unknown choice, which an expression may return. */
export const readRunFailedJobsAgain = ({ runFailedJobsAgain: chosen = 'no' }: { runFailedJobsAgain?: unknown }): RunFailedJobsAgain =>
	requireChoice(chosen, ['no', 'ifFree', 'always'], runFailedJobsAgain.displayName, ' in Options');

interface RunAgainSettings {
	runFailedJobsAgain: RunFailedJobsAgain;
	keyMode: NonNullable<KeyOptions['idempotencyKeyMode']>;
}

/** The key mode that applies: some interfaces accept no key. */
export const keyModeOf = ({ settings, connection }: Pick<ItemContext<RunAgainSettings>, 'settings' | 'connection'>) =>
	connection.jobs.capabilities.canResubmit ? settings.keyMode : 'none';

/**
 * Returns what a retry does with a job of the item that has failed or was lost.
 * @param readGraph returns the graph that would run; undefined if it is not known.
 */
export async function findRetryEffect(
	context: ItemContext<RunAgainSettings>,
	readGraph: () => Promise<ApiGraph | undefined> | ApiGraph | undefined,
): Promise<RetryEffect> {
	const { settings, credential } = context;
	if (settings.runFailedJobsAgain === 'no') return 'optionIsOff';
	if (keyModeOf(context) === 'custom') return 'customKey';
	if (settings.runFailedJobsAgain === 'ifFree' && credential.isOwnServer !== true) return 'billedService';
	const graph = await readGraph();
	if (graph === undefined) return 'noWorkflow';
	return settings.runFailedJobsAgain === 'always' ? 'runsAgain' : await findPartnerNodes(context, graph);
}

const READ_LIMIT_MS = 10_000;

/** The job may run again only if it is known of each of its nodes that it costs nothing. */
async function findPartnerNodes(context: ItemContext<unknown>, graph: ApiGraph): Promise<RetryEffect> {
	const classes = listClassNames(graph);
	const shutdownSignal = AbortSignal.any([context.shutdownSignal, clock.signalAfter(READ_LIMIT_MS)]);
	const read = await outcomeOf(readDefinitions(conversionContext({ ...context, shutdownSignal }), classes));
	const definitions = read.ok ? read.value : {};
	if (hasPartnerNodes(graph, definitions)) return 'partnerNodes';
	return classes.every((name) => findDefinition(definitions, name) !== undefined) ? 'runsAgain' : 'unknownNodes';
}
