import { clock } from '../clock';
import type { Connection } from '../connection';
import type { CallOptions } from '../ports';
import { untilStopped } from '../transport/abort';

/** Listening saves requests; nobody waits long for it. */
const PATIENCE_MS = 2_000;

const listening = new WeakMap<Connection, Promise<void>>();

/**
 * Opens the live feed of v1 and engines, and keeps it until the connection is closed: of a job that is submitted meanwhile
 * nothing is missed, so that its status needs no look. Resolves once it is open, or when there is none to wait for.
 * @throws StoppedError.
 */
export async function listenAhead(connection: Connection, { signal }: CallOptions = {}): Promise<void> {
	const opening = listening.get(connection) ?? open(connection);
	listening.set(connection, opening);
	await untilStopped(opening, signal);
}

async function open({ feed }: Connection): Promise<void> {
	if (feed === undefined) return;
	await new Promise<void>((resolve) => {
		const late = clock.after(PATIENCE_MS, () => resolve());
		const done = (): void => {
			clearTimeout(late);
			resolve();
		};
		// Until the connection is closed.
		void feed.follow({ onConnect: done, onTrouble: done, onEvent: () => undefined }, new AbortController().signal);
	});
}
