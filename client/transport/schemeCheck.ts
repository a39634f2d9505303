import { clock } from '../clock';
import { aborted } from './abort';
import { type Carrier, dropped } from './carrier';
import { outcomeOf } from './outcome';

const PATIENCE_MS = 3_000;

/**
 * Plain http to a port that speaks TLS: the server hangs up without a word, or answers 400 in words of its own. So a
 * server that has never answered, and does so, is asked once more in the other way, for nothing and without a key.
 */
export class SchemeCheck {
	private readonly understood = new Set<string>();

	constructor(private readonly carrier: Carrier) {}

	/** It speaks as it was spoken to. */
	hasAnswered({ origin }: URL): void {
		this.understood.add(origin);
	}

	async speaksOnlyTls(url: URL, signal?: AbortSignal): Promise<boolean> {
		if (url.protocol !== 'http:' || this.understood.has(url.origin)) return false;
		const secure = new URL(`https://${url.hostname}:${url.port || 80}`);
		const timeout = clock.signalAfter(PATIENCE_MS);
		const ends = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
		const asking = this.carrier.carry({ method: 'HEAD', url: secure, headers: {}, signal: ends, anyCertificate: true }, () => undefined);
		const asked = await outcomeOf(Promise.race([asking, aborted(ends)]));
		if (asked.ok) await dropped(asked.value.body);
		else this.hasAnswered(url);
		return asked.ok;
	}
}
