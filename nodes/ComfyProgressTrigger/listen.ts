import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

import { clock, EventDispatcher, type EventSource, openPoolEvents, openServerEvents, openServiceEvents } from '../../client';
import { connectSettings, outboundNetworkOf, poolSettings, serverSettings } from '../shared/connect/openConnection';
import { readControlCredential, readCredential, type ServiceCredential } from '../shared/credentials';
import { wordsFor } from '../shared/explain/wordsFor';
import { withDebugLog } from '../shared/debugLog';
import { nodeErrorFor } from '../shared/nodeErrors';
import { resultMask } from '../shared/withoutSecrets';
import { Delivery, startsOncePerKey } from './delivery';
import { TriggerMemory } from './memory';
import { settings, type TriggerSettings } from './settings';
import { TroubleReporter } from './troubles';

/** Closing takes no longer than this, even if the service does not answer. */
const CLOSE_LIMIT_MS = 3_000;

async function readTriggerCredential(trigger: ITriggerFunctions, { authentication, source }: TriggerSettings): Promise<ServiceCredential> {
	const data = await trigger.getCredentials(authentication);
	if (source !== 'jobs') return readControlCredential(authentication, data);
	return readCredential(authentication, data);
}

function openSource(
	trigger: ITriggerFunctions,
	{ source, jobIds, selection }: TriggerSettings,
	credential: ServiceCredential,
): EventSource {
	const outboundNetwork = outboundNetworkOf(trigger);
	if (credential.moreServers !== undefined) return openPoolEvents(poolSettings(credential, outboundNetwork), jobIds);
	if (source === 'engine' || credential.interface === 'automatic')
		return openServerEvents(serverSettings(credential, outboundNetwork), jobIds);
	return openServiceEvents({
		source,
		jobIds,
		needsPercent: ['milestones', 'everyEvent'].includes(selection.delivery),
		...connectSettings(credential, outboundNetwork),
	});
}

/** Returns a text that is the same as long as the trigger listens to the same jobs. It is stored. */
const identifySource = ({ source, jobIds }: TriggerSettings, { baseUrl, engineUrl, hostedUrl }: ServiceCredential): string =>
	[source, baseUrl, engineUrl, hostedUrl, ...jobIds].join(' ');

async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	await Promise.race([work, new Promise((resolve) => (timer = clock.after(milliseconds, () => resolve(undefined))))]);
	clearTimeout(timer);
}

/**
 * Starts to listen, and returns how to stop. It throws only if the user's input is wrong, because n8n deactivates a trigger
 * that throws. If a service is down or a key is wrong, the trigger reports it and tries again.
 */
export async function listen(trigger: ITriggerFunctions): Promise<ITriggerResponse> {
	let credential: ServiceCredential | undefined;
	try {
		const triggerSettings = settings((name, fallback) => trigger.getNodeParameter(name, fallback) as never);
		credential = await readTriggerCredential(trigger, triggerSettings);
		return start(trigger, triggerSettings, credential, openSource(trigger, triggerSettings, credential));
	} catch (error) {
		throw nodeErrorFor(trigger, error, wordsFor(error, credential));
	}
}

function start(
	trigger: ITriggerFunctions,
	triggerSettings: TriggerSettings,
	credential: ServiceCredential,
	source: EventSource,
): ITriggerResponse {
	const isManual = trigger.getMode() === 'manual';
	const memory = new TriggerMemory(trigger, identifySource(triggerSettings, credential));
	// A test run in the editor reports all events from now on, even those that were delivered before.
	const since = isManual ? clock.wallNow() : memory.since;
	const dispatcher = new EventDispatcher({
		get interface() {
			return source.interface;
		},
		milestones: triggerSettings.milestones,
		state: isManual ? undefined : memory.read(startsOncePerKey(trigger)),
	});
	const delivery = new Delivery(trigger, triggerSettings, dispatcher, memory, resultMask(credential));
	const reporter = new TroubleReporter(trigger, credential);
	const stopping = new AbortController();
	let watching: Promise<void> | undefined;

	const startWatching = (): void => {
		watching = withDebugLog(trigger, { credential }, () =>
			source.watch(
				{
					since,
					onEvent: (event, jobId, raw) => delivery.onEvent(event, jobId, raw),
					onJob: (job) => delivery.onJob(job),
					onConnect: (server) => reporter.reset(server),
					onTrouble: (trouble) => reporter.report(trouble),
					inFlight: () => dispatcher.inFlight(),
					hasEnded: (jobId) => dispatcher.hasEnded(jobId),
				},
				stopping.signal,
			),
		);
	};

	const closeFunction = async (): Promise<void> => {
		stopping.abort();
		delivery.close();
		await waitAtMost(CLOSE_LIMIT_MS, Promise.allSettled([watching, source.close()]));
	};

	// In the editor the user waits, so a wrong key or address is reported at once.
	const manualTriggerFunction = async (): Promise<void> => {
		try {
			await withDebugLog(trigger, { credential }, async () => await source.verifyAccess({ signal: stopping.signal }));
		} catch (error) {
			await closeFunction();
			throw nodeErrorFor(trigger, error, wordsFor(error, credential));
		}
		startWatching();
	};

	if (isManual) return { closeFunction, manualTriggerFunction };
	startWatching();
	return { closeFunction };
}
