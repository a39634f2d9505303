import type { Logger } from 'n8n-workflow';

import { clock, currentObserver, type Decision, type Exchange, withObserver, type Observer } from '../../client';
import { isDebugEnabled } from './execution/hostContext';
import { decisionLine, exchangeLine, isRetryOf, retriedLine } from './messages/logLines';
import type { NamedCredential } from './credentials';
import type { ItemProgress } from './itemProgress';
import { withMask } from './messages/words';
import { secretMask } from './withoutSecrets';

/** A failed request waits this long for the decision to retry it, so that both share one line. */
const PENDING_MS = 250;

/** Each line begins with it. */
const PREFIX = 'Comfy: ';

/** The part that n8n's contexts of running nodes, triggers and the editor have in common. */
interface LogHost {
	logger: Logger;
	getNode(): { name: string };
	getExecutionId?(): string;
}

interface LogContext {
	itemIndex?: number;
	progress?: ItemProgress;
	/** Its secrets are masked in each line. */
	credential?: NamedCredential;
}

/** Writes what the client does into n8n's log, at level debug. */
class DebugLog implements Observer {
	readonly shared?: Observer;
	private readonly mask: (text: string) => string;
	private pending?: { exchange: Exchange; timer: NodeJS.Timeout };

	constructor(
		private readonly host: LogHost,
		private readonly context: LogContext,
	) {
		this.mask = secretMask(context.credential);
		if (context.itemIndex !== undefined) this.shared = new DebugLog(host, { credential: context.credential });
	}

	onExchange(exchange: Exchange): void {
		this.writePending();
		const { status = 0 } = exchange;
		const mayBeRetried = status === 0 || status === 429 || status >= 500;
		if (mayBeRetried) this.pending = { exchange, timer: clock.after(PENDING_MS, () => this.writePending()).unref() };
		else this.writeExchange(exchange);
	}

	onDecision(decision: Decision): void {
		const exchange = this.pending?.exchange;
		if (exchange !== undefined && isRetryOf(exchange, decision)) {
			this.releasePending();
			this.write(retriedLine(exchange, decision), { requestId: exchange.requestId });
		} else this.write(decisionLine(decision), { jobId: 'jobId' in decision ? decision.jobId : undefined });
	}

	private releasePending(): void {
		clearTimeout(this.pending?.timer);
		this.pending = undefined;
	}

	private writePending(): void {
		const exchange = this.pending?.exchange;
		this.releasePending();
		if (exchange !== undefined) this.writeExchange(exchange);
	}

	private writeExchange(exchange: Exchange): void {
		this.write(exchangeLine(exchange), { requestId: exchange.requestId });
	}

	write(line: string, { jobId, requestId }: { jobId?: string; requestId?: string } = {}): void {
		this.writePending();
		const { host, context } = this;
		const facts = {
			node: host.getNode().name,
			item: context.itemIndex,
			executionId: host.getExecutionId?.(),
			jobId: jobId ?? context.progress?.jobId,
			requestId,
		};
		const fields = Object.entries(facts).flatMap(([name, value]) =>
			value === undefined ? [] : [[name, typeof value === 'string' ? this.mask(value) : value] as const],
		);
		host.logger.debug(PREFIX + this.mask(line), Object.fromEntries(fields));
	}
}

/** Does the work and masks the secrets in the texts that it shortens. Logs its requests and decisions if n8n logs at level debug. */
export const withDebugLog = <T>(host: LogHost, context: LogContext, work: () => T): T =>
	withMask(secretMask(context.credential), () => (isDebugEnabled(host.logger) ? withObserver(new DebugLog(host, context), work) : work()));

/** Logs a decision of the work that runs now. */
export function logDecision(line: () => string): void {
	const log = currentObserver();
	if (!(log instanceof DebugLog)) return;
	try {
		log.write(line());
	} catch {
		// A log line must not make an item fail.
	}
}
