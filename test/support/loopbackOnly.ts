/**
 * Importing this refuses every connection of the process to an address off loopback, before it starts: probes send hostile
 * input and break rules, and must never reach a server that is not their own.
 */
import type { LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction, Socket } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const isLoopback = (address: string): boolean => isIP(address) !== 0 && LOOPBACK.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

const refusal = (host: string): Error =>
	Object.assign(new Error(`A probe tried to connect to ${host}, which is not on loopback`), { code: 'ERR_OFF_LOOPBACK' });

interface Target {
	host?: string;
	/** Of a local socket file. */
	path?: string;
	lookup?: LookupFunction;
}

/** What Node's `connect` was called with: options, a port and a host, a path, or the list that Node itself makes of them. */
function targetOf([first, second]: unknown[]): Target {
	if (Array.isArray(first)) return targetOf(first);
	if (typeof first === 'object' && first !== null) return first;
	if (typeof first === 'string' && !/^\d+$/.test(first)) return { path: first };
	return { host: typeof second === 'string' ? second : undefined };
}

/** A name may resolve to any address. */
const guarded =
	(lookup: LookupFunction): LookupFunction =>
	(hostname, options, callback) =>
		lookup(hostname, options, (error, found, family) => {
			const addresses = Array.isArray(found) ? found.map(({ address }: LookupAddress) => address) : [found];
			if (error === null && !addresses.every(isLoopback)) return callback(refusal(hostname), '', 4);
			callback(error, found, family);
		});

const connect = Reflect.get(Socket.prototype, 'connect') as (this: Socket, ...args: unknown[]) => Socket;

Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
	const target = targetOf(args);
	const { host = 'localhost', path, lookup } = target;
	if (path !== undefined || host === 'localhost' || isLoopback(host)) return connect.apply(this, args);
	if (isIP(host) === 0 && lookup !== undefined) {
		target.lookup = guarded(lookup);
		return connect.apply(this, args);
	}
	process.exitCode = 1;
	process.stderr.write(`${refusal(host).message}\n`);
	process.nextTick(() => this.destroy(refusal(host)));
	return this;
};
