import type { IDataObject, Logger } from 'n8n-workflow';

import { currentObserver, type Decision, type Exchange, observed, type Observer } from '../../client';
import { writesDebug } from './execution/beyondInterface';
import { decisionLine, exchangeLine } from './messages/logLines';
import type { NamedCredential } from './credentials';
import { secretMask } from './withoutSecrets';

/** Every line begins with it. */
const PREFIX = 'Comfy: ';

/** Whatever n8n hands to a node while it runs, listens or is set up. */
interface Host {
	logger: Logger;
	getNode(): { name: string };
	getExecutionId?(): string;
}

export interface LogPlace {
	itemIndex?: number;
	/** What is known of the item, now or later. */
	known?: IDataObject;
	/** Its secrets stand in no line, wherever a server has put them. */
	credential?: NamedCredential;
}

/** Writes what the client does into n8n's log, at debug: `N8N_LOG_LEVEL=debug` tells the story of each item. */
class DebugLog implements Observer {
	readonly shared?: Observer;
	private readonly mask: (text: string) => string;

	constructor(
		private readonly host: Host,
		private readonly place: LogPlace,
	) {
		this.mask = secretMask(place.credential);
		if (place.itemIndex !== undefined) this.shared = new DebugLog(host, { credential: place.credential });
	}

	onExchange(exchange: Exchange): void {
		this.write(exchangeLine(exchange), { requestId: exchange.requestId });
	}

	onDecision(decision: Decision): void {
		this.write(decisionLine(decision), { jobId: 'jobId' in decision ? decision.jobId : undefined });
	}

	write(line: string, { jobId, requestId }: { jobId?: string; requestId?: string } = {}): void {
		const { host, place } = this;
		const known = place.known?.job_id;
		const facts = {
			node: host.getNode().name,
			item: place.itemIndex,
			executionId: host.getExecutionId?.(),
			jobId: jobId ?? (typeof known === 'string' ? known : undefined),
			requestId,
		};
		const told = Object.entries(facts).flatMap(([name, value]) =>
			value === undefined ? [] : [[name, typeof value === 'string' ? this.mask(value) : value] as const],
		);
		host.logger.debug(PREFIX + this.mask(line), Object.fromEntries(told));
	}
}

/** Does work of which n8n's log tells, if anybody reads it at debug. */
export const logged = <T>(host: Host, place: LogPlace, work: () => T): T =>
	writesDebug(host.logger) ? observed(new DebugLog(host, place), work) : work();

/** A line of what is done now, by whomever. */
export function noted(line: () => string): void {
	const log = currentObserver();
	if (!(log instanceof DebugLog)) return;
	try {
		log.write(line());
	} catch {
		// Nothing fails for want of a line.
	}
}
