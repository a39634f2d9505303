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

/** A part of them for each process: n8n takes its time until it listens, and others look for ports meanwhile. */
const PART = 1_000;
const firstOfPart = (): number => RESERVABLE.from + (process.pid % Math.floor((RESERVABLE.below - RESERVABLE.from) / PART)) * PART;

const handedOut = new Set<number>();

/** The first of so many consecutive loopback ports that were free a moment ago, and were never handed out here. */
export async function freePorts(count: number): Promise<number> {
	for (;;) {
		const first = firstOfPart() + Math.floor(Math.random() * (PART - count));
		const ports = Array.from({ length: count }, (_, index) => first + index);
		if (ports.some((port) => handedOut.has(port))) continue;
		const all = await Promise.allSettled(ports.map(tryPort));
		if (!all.every(({ status }) => status === 'fulfilled')) continue;
		for (const port of ports) handedOut.add(port);
		return first;
	}
}
