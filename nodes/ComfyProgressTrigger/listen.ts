import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

import { clock, EventDispatcher, type EventSource, openServerEvents, openServiceEvents } from '../../client';
import { accessOf, serverSettings } from '../shared/connect/openConnection';
import { egressOf } from '../shared/connect/egress';
import { readControlCredential, readCredential, type ServiceCredential } from '../shared/credentials';
import { wordsFor } from '../shared/messages/wordsFor';
import { logged } from '../shared/debugLog';
import { nodeErrorFor } from '../shared/nodeErrors';
import { resultMask } from '../shared/withoutSecrets';
import { Delivery } from './delivery';
import { TriggerMemory } from './memory';
import { settings, type TriggerSettings } from './settings';
import { Troubles } from './troubles';

/** However the other side behaves, a workflow is deactivated within this time. */
const CLOSE_WITHIN_MS = 3_000;

async function credentialFor(trigger: ITriggerFunctions, { authentication, source }: TriggerSettings): Promise<ServiceCredential> {
	const data = await trigger.getCredentials(authentication);
	if (source !== 'jobs') return readControlCredential(authentication, data);
	return readCredential(authentication, data);
}

function open(trigger: ITriggerFunctions, { source, jobIds, selection }: TriggerSettings, credential: ServiceCredential): EventSource {
	const egress = egressOf(trigger);
	if (source === 'engine' || credential.interface === 'automatic') return openServerEvents(serverSettings(credential, egress), jobIds);
	return openServiceEvents({
		source,
		jobIds,
		needsPercent: ['milestones', 'everyEvent'].includes(selection.delivery),
		...accessOf(credential, egress),
	});
}

const within = async (milliseconds: number, work: Promise<unknown>): Promise<void> => {
	let timer: NodeJS.Timeout | undefined;
	await Promise.race([work, new Promise((resolve) => (timer = clock.after(milliseconds, () => resolve(undefined))))]);
	clearTimeout(timer);
};

/**
 * Starts to listen, and returns how to stop. Only what the user entered can make it throw: n8n gives up on a trigger
 * that throws, so that a service that is down, or a wrong key, is told and tried again instead.
 */
export async function listen(trigger: ITriggerFunctions): Promise<ITriggerResponse> {
	let credential: ServiceCredential | undefined;
	try {
		const chosen = settings((name, fallback) => trigger.getNodeParameter(name, fallback) as never);
		credential = await credentialFor(trigger, chosen);
		return start(trigger, chosen, credential, open(trigger, chosen, credential));
	} catch (error) {
		throw nodeErrorFor(trigger, error, wordsFor(error, credential));
	}
}

function start(trigger: ITriggerFunctions, chosen: TriggerSettings, credential: ServiceCredential, source: EventSource): ITriggerResponse {
	const isManual = trigger.getMode() === 'manual';
	const memory = new TriggerMemory(
		trigger,
		[chosen.source, credential.baseUrl, credential.engineUrl, credential.hostedUrl, ...chosen.jobIds].join(' '),
	);
	// Whoever tries it out wants to hear of what happens from now on, whatever has been told before.
	const remembered = isManual ? undefined : memory.dispatcherState();
	const since = isManual ? clock.wallNow() : memory.since;
	const dispatcher = new EventDispatcher({
		get interface() {
			return source.interface;
		},
		milestones: chosen.milestones,
		state: remembered,
	});
	const delivery = new Delivery(trigger, chosen, dispatcher, memory, resultMask(credential));
	const troubles = new Troubles(trigger, credential);
	const stopping = new AbortController();
	let watching: Promise<void> | undefined;

	const inLog = <T>(work: () => T): T => logged(trigger, { credential }, work);

	const watch = (): void => {
		watching = inLog(() =>
			source.watch(
				{
					since,
					onEvent: (event, jobId, raw) => delivery.onEvent(event, jobId, raw),
					onJob: (job) => delivery.onJob(job),
					onConnect: () => troubles.isOver(),
					onTrouble: (trouble) => troubles.tell(trouble),
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
		await within(CLOSE_WITHIN_MS, Promise.allSettled([watching, source.close()]));
	};

	// While somebody watches the editor, what cannot work is said at once.
	const manualTriggerFunction = async (): Promise<void> => {
		try {
			await inLog(async () => await source.verifyAccess({ signal: stopping.signal }));
		} catch (error) {
			await closeFunction();
			throw nodeErrorFor(trigger, error, wordsFor(error, credential));
		}
		watch();
	};

	if (isManual) return { closeFunction, manualTriggerFunction };
	watch();
	return { closeFunction };
}
