import { createServer } from 'node:net';

/** Listens for a moment. @returns the port. */
async function tryPort(wanted: number): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(wanted, '127.0.0.1', resolve);
	});
	const address = server.address();
	await new Promise((resolve) => server.close(resolve));
	if (address === null || typeof address === 'string') throw new Error('No free port on 127.0.0.1');
	return address.port;
}

/** A loopback port that was free a moment ago. */
export const freePort = async (): Promise<number> => await freePorts(1);

/** The wanted one, unless somebody listens there. */
export const portNear = async (wanted: number): Promise<number> => await tryPort(wanted).catch(freePort);

/** Below those that systems hand out to outgoing connections, so that nobody takes them while they are not listened on. */
const RESERVABLE = { from: 20_000, below: 32_000 };

/** The first of so many consecutive loopback ports that were free a moment ago. */
export async function freePorts(count: number): Promise<number> {
	for (;;) {
		const first = RESERVABLE.from + Math.floor(Math.random() * (RESERVABLE.below - RESERVABLE.from));
		const all = await Promise.allSettled(Array.from({ length: count }, (_, index) => tryPort(first + index)));
		if (all.every(({ status }) => status === 'fulfilled')) return first;
	}
}
