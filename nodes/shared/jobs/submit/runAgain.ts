/** The option *Run Failed Jobs Again*: whether a retry runs a job again that has failed or that the service has lost. */
import { type ApiGraph, clock, type Connection, findDefinition, hasPartnerNodes, listClassNames, outcomeOf } from '../../../../client';
import type { RetryEffect } from '../../explain/jobs';
import type { ItemRun } from '../../operation';
import type { SettingsOf } from '../../options';
import { conversionContext } from '../../workflows/controlServer';
import { readDefinitions } from '../../workflows/convert';
import type { submitOptions } from './options';

type RunAgainSettings = Pick<SettingsOf<typeof submitOptions>, 'runFailedJobsAgain' | 'keyMode'>;

/** The key mode that applies: some interfaces accept no key. */
export const keyModeOf = ({ keyMode }: RunAgainSettings, connection: Connection): RunAgainSettings['keyMode'] =>
	connection.jobs.capabilities.canResubmit ? keyMode : 'none';

/**
 * Returns what a retry does with a job of the item that has failed or was lost.
 * @param readGraph returns the graph that would run; undefined if it is not known.
 */
export async function findRetryEffect(
	item: ItemRun,
	settings: RunAgainSettings,
	readGraph: () => Promise<ApiGraph | undefined> | ApiGraph | undefined,
): Promise<RetryEffect> {
	if (settings.runFailedJobsAgain === 'no') return 'optionIsOff';
	if (keyModeOf(settings, item.connection) === 'custom') return 'customKey';
	if (settings.runFailedJobsAgain === 'ifFree' && item.credential.isOwnServer !== true) return 'billedService';
	const graph = await readGraph();
	if (graph === undefined) return 'noWorkflow';
	return settings.runFailedJobsAgain === 'always' ? 'runsAgain' : await findPartnerNodes(item, graph);
}

const READ_LIMIT_MS = 10_000;

/** The job may run again only if it is known of each of its nodes that it costs nothing. */
async function findPartnerNodes(item: ItemRun, graph: ApiGraph): Promise<RetryEffect> {
	const classes = listClassNames(graph);
	const signal = AbortSignal.any([item.shutdownSignal, clock.signalAfter(READ_LIMIT_MS)]);
	const read = await outcomeOf(readDefinitions(conversionContext(item, signal), classes));
	const definitions = read.ok ? read.value : {};
	if (hasPartnerNodes(graph, definitions)) return 'partnerNodes';
	return classes.every((name) => findDefinition(definitions, name) !== undefined) ? 'runsAgain' : 'unknownNodes';
}
