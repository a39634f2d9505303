import type { Logger } from 'n8n-workflow';

import { clock, currentObserver, type Decision, type Exchange, observed, type Observer } from '../../client';
import { isDebugEnabled } from './execution/hostContext';
import { decisionLine, exchangeLine, isRetryOf, retriedLine } from './messages/logLines';
import type { NamedCredential } from './credentials';
import type { ItemProgress } from './itemProgress';
import { secretMask } from './withoutSecrets';

/** How long the line of a failed request waits for the decision to retry it, so that both are one line. */
const HELD_MS = 250;

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
	progress?: ItemProgress;
	/** Its secrets stand in no line, wherever a server has put them. */
	credential?: NamedCredential;
}

/** Writes what the client does into n8n's log, at debug: `N8N_LOG_LEVEL=debug` tells the story of each item. */
class DebugLog implements Observer {
	readonly shared?: Observer;
	private readonly mask: (text: string) => string;
	private held?: { exchange: Exchange; timer: NodeJS.Timeout };

	constructor(
		private readonly host: Host,
		private readonly place: LogPlace,
	) {
		this.mask = secretMask(place.credential);
		if (place.itemIndex !== undefined) this.shared = new DebugLog(host, { credential: place.credential });
	}

	onExchange(exchange: Exchange): void {
		this.writeHeld();
		const { status = 0 } = exchange;
		const mayBeRetried = status === 0 || status === 429 || status >= 500;
		if (mayBeRetried) this.held = { exchange, timer: clock.after(HELD_MS, () => this.writeHeld()).unref() };
		else this.writeExchange(exchange);
	}

	onDecision(decision: Decision): void {
		const exchange = this.held?.exchange;
		if (exchange !== undefined && isRetryOf(exchange, decision)) {
			this.release();
			this.write(retriedLine(exchange, decision), { requestId: exchange.requestId });
		} else this.write(decisionLine(decision), { jobId: 'jobId' in decision ? decision.jobId : undefined });
	}

	private release(): void {
		clearTimeout(this.held?.timer);
		this.held = undefined;
	}

	private writeHeld(): void {
		const exchange = this.held?.exchange;
		this.release();
		if (exchange !== undefined) this.writeExchange(exchange);
	}

	private writeExchange(exchange: Exchange): void {
		this.write(exchangeLine(exchange), { requestId: exchange.requestId });
	}

	write(line: string, { jobId, requestId }: { jobId?: string; requestId?: string } = {}): void {
		this.writeHeld();
		const { host, place } = this;
		const facts = {
			node: host.getNode().name,
			item: place.itemIndex,
			executionId: host.getExecutionId?.(),
			jobId: jobId ?? place.progress?.jobId,
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
	isDebugEnabled(host.logger) ? observed(new DebugLog(host, place), work) : work();

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
