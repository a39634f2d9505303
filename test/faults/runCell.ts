import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { clock, withObserver, type Observer, WebFileError } from '../../client';
import type { NamedCredential } from '../../nodes/shared/credentials';
import { decisionLine, exchangeLine } from '../../nodes/shared/messages/logLines';
import { webFileWords } from '../../nodes/shared/explain/webFile';
import { wordsFor } from '../../nodes/shared/explain/wordsFor';
import { toShownWords } from '../../nodes/shared/messages/words';
import { type Sandbox, startSandbox } from '../../sandbox';
import { secretsIn } from './secretsIn';
import { DONE, outcomeOf } from './outcomes';
import { Proxy } from './proxy/openProxy';
import { openStranger, type Stranger } from './proxy/strangers';
import type { CallContext, Cell, Outcome } from './shapes';

/** On the client's clock, which no loaded machine moves: nothing takes half of it. */
const LONGEST_CELL_MS = 3 * 60 * 60_000;
const LONGEST_CLOSING_MS = 10 * 60_000;
const HANGS: Outcome = 'hangs';

export interface CellResult {
	outcome: Outcome;
	/** Empty for a cell that holds. */
	failures: string[];
}

/** Does the one call, with the one fault, through a proxy of its own. @param shared for the calls that need no sandbox of their own. */
export async function runCell(cell: Cell, shared: Sandbox): Promise<CellResult> {
	const { fault, call, attempts } = cell;
	const own = call.sandbox && (await startSandbox(call.sandbox));
	const sandbox = own ?? shared;
	const stranger = await openStranger();
	const proxy = new Proxy(sandbox, { fault, attempts, on: call.on, at: call.at, stranger: stranger.url });
	await proxy.open();
	try {
		return await judged(cell, { sandbox, urls: proxy.urls, mark: randomUUID(), stranger: stranger.url }, proxy, stranger);
	} finally {
		await proxy.close();
		await stranger.close();
		await own?.close();
	}
}

async function judged(cell: Cell, context: CallContext, proxy: Proxy, stranger: Stranger): Promise<CellResult> {
	const { call, expected } = cell;
	const { outcome, error, lines } = await called(cell, context, proxy);
	const left = await openAtTheEnd(proxy);
	await proxy.delivered();
	const paid = call.billed?.(context) ?? 0;
	const failures = [
		...(outcome === expected.outcome ? [] : [`ended as "${outcome}", not as "${expected.outcome}" (${expected.because})`]),
		...(proxy.hasMet ? [] : ['no request met the fault']),
		...(paid > 1 ? [`${paid} jobs are paid`] : []),
		...(call.billed !== undefined && outcome === DONE && paid === 0 ? ['nothing was made'] : []),
		...(left > 0 ? [`${left} connections are left open`] : []),
		...(stranger.sawSecret(context.sandbox) ? ['a stranger has got a key'] : []),
		...(error === undefined ? [] : faultsOfTelling(error, lines, context.sandbox)),
	];
	return { outcome, failures };
}

async function called(
	{ call, attempts }: Cell,
	context: CallContext,
	proxy: Proxy,
): Promise<{ outcome: Outcome; error?: unknown; lines: string[] }> {
	/** What a log would hold. */
	const lines: string[] = [];
	const observer: Observer = {
		onExchange: (exchange) => {
			lines.push(exchangeLine(exchange));
			proxy.hasTold(exchange.error);
			if (exchange.error !== undefined && attempts === 'first') proxy.reopenPort();
		},
		onDecision: (decision) => void lines.push(decisionLine(decision)),
	};
	try {
		return { outcome: await within(withObserver(observer, async () => (await call.run(context)) ?? DONE)), lines };
	} catch (error) {
		return { outcome: outcomeOf(error), error, lines };
	}
}

async function within(running: Promise<Outcome>): Promise<Outcome> {
	let timer: NodeJS.Timeout | undefined;
	const bound = new Promise<Outcome>((resolve) => (timer = clock.after(LONGEST_CELL_MS, () => resolve(HANGS))));
	try {
		return await Promise.race([running, bound]);
	} finally {
		clearTimeout(timer);
	}
}

/** The call has closed its connection: its sockets go in a moment. */
async function openAtTheEnd(proxy: Proxy): Promise<number> {
	const deadline = clock.now() + LONGEST_CLOSING_MS;
	while (proxy.openSockets > 0 && clock.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
	return proxy.openSockets;
}

/** What gives access to a file of somebody's. */
const SIGNATURE = 'X-Goog-Signature=';

/** As a node has read it: what it says of itself, and what must not be said. */
const credentialOf = ({ keys, urls }: Sandbox): NamedCredential => ({
	displayName: 'Comfy API',
	secretLabel: 'API Key',
	addressLabel: 'Base URL',
	baseUrl: urls.hosted,
	rejectUnauthorized: true,
	token: keys.apiKey,
	partnerKey: keys.partnerKey,
});

/** @returns what is wrong with the words for a failure. */
function faultsOfTelling(error: unknown, lines: readonly string[], sandbox: Sandbox): string[] {
	const told = error instanceof WebFileError ? toShownWords(webFileWords(error)) : wordsFor(error, credentialOf(sandbox));
	const shown: Record<string, string> = {
		'the error': inspect(error, { depth: 20, showHidden: true }),
		'its JSON': JSON.stringify(error) ?? '',
		'the words': `${told.message}\n${told.advice}`,
		'the log': lines.join('\n'),
	};
	const leaks = Object.entries(shown)
		.filter(([, text]) => secretsIn(text, [...Object.values(sandbox.keys), SIGNATURE]).length > 0)
		.map(([where]) => `a secret stands in ${where}`);
	return [
		...leaks,
		...(told.message === '' ? ['the message does not say what happened'] : []),
		...(told.advice === '' ? ['the message does not say what to do'] : []),
	];
}
