import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import net, { type Socket } from 'node:net';
import { setImmediate as turnOfLoop } from 'node:timers/promises';

import { Cache, onAbort } from '../../client';
import { type Clock, realClock, setClock } from '../../client/async/clock';
import { ExecutionMemory } from '../../nodes/shared/execution/arrivals';
import { fasterClock } from '../support/fastClock';
import type { Moment } from './history';

const lives = new AsyncLocalStorage<Life>();

/** To which nothing listens. */
const CLOSED_PORT = 1;

export class DiedError extends Error {}

/** One thing that a life does on the wire. */
export interface SentRequest {
	/** From 0, of all requests since it was last counted. */
	nth: number;
	method: string;
	path: string;
	/** Of the server. */
	port: number;
	moment: Moment;
}

/** What is around a process: its machine and its network. */
export interface Surroundings {
	/** By how much the clock of the machine differs from the true time. */
	skewMs: number;
	/** So many connections are refused. */
	refusals: number;
	/** Whether the server at this port accepts connections. */
	isReachable(port: number): boolean;
	/** Called at each stage of each request. */
	onRequest(request: SentRequest): void;
}

let born = 0;

/**
 * A process of n8n, as far as the client can tell, within this one: it has sockets, timers and an address of its own by
 * which what processes keep is kept apart. Killed, it sends nothing more, hears nothing more, and no timer of it fires.
 */
export class Life {
	/** All of 127.0.0.0/8 is this machine. */
	readonly address: string;
	/** With the ports that they are connected to. */
	private readonly sockets = new Map<Socket, number>();
	private readonly death = new AbortController();
	private requests = 0;

	constructor(readonly surroundings: Surroundings) {
		born += 1;
		this.address = `127.1.${(born >> 8) & 255}.${born & 255}`;
	}

	get isOver(): boolean {
		return this.death.signal.aborted;
	}

	/** @throws DiedError when it is killed. */
	async live<T>(work: () => Promise<T>): Promise<T> {
		this.requests = 0;
		let stopListening: (() => void) | undefined;
		const dead = new Promise<never>((_, reject) => (stopListening = onAbort(this.death.signal, () => reject(new DiedError()))));
		try {
			return await Promise.race([lives.run(this, work), dead]);
		} finally {
			stopListening?.();
		}
	}

	/** What it has written is delivered all the same. */
	kill(): void {
		this.death.abort();
		this.cutOff();
	}

	/** Its connections are lost; it may open others. @param port of the server; by default all connections. */
	cutOff(port?: number): void {
		// A socket that still connects ends with an error, as in a real network: undici waits for it, and hears nothing of a mere close.
		for (const [socket, itsPort] of this.sockets)
			if (port === undefined || itsPort === port) socket.destroy(socket.connecting ? new Error('The connection is lost') : undefined);
	}

	connect(options: net.TcpNetConnectOpts): Socket {
		if (this.isOver) return new net.Socket();
		const isRefused = this.surroundings.refusals > 0;
		if (isRefused) this.surroundings.refusals -= 1;
		const isClosed = isRefused || !this.surroundings.isReachable(Number(options.port));
		const isOwn = options.host === this.address;
		const socket = connectReally({ ...options, ...(isOwn && { host: '127.0.0.1' }), ...(isClosed && { port: CLOSED_PORT }) });
		this.sockets.set(socket, Number(options.port));
		socket.once('close', () => this.sockets.delete(socket));
		return socket;
	}

	counted(): number {
		this.requests += 1;
		return this.requests - 1;
	}
}

const connectReally = net.connect.bind(net) as (options: net.TcpNetConnectOpts) => Socket;

interface UndiciRequest {
	origin: string | URL;
	method: string;
	path: string;
}

const sent = new WeakMap<UndiciRequest, { life: Life; nth: number }>();

function tell(request: UndiciRequest, moment: Moment): void {
	const { life, nth } = sent.get(request) ?? {};
	if (life === undefined || nth === undefined || life.isOver) return;
	life.surroundings.onRequest({ nth, method: request.method, path: request.path, port: Number(new URL(request.origin).port), moment });
}

/** The clock of each life is that of its machine; a dead one's never fires. */
function clockOfLives(times: number): Clock {
	const fast = fasterClock(times);
	const ofLife = (call: () => void): (() => void) => {
		const life = lives.getStore();
		return () => void (life?.isOver === true || call());
	};
	return {
		...fast,
		after: (milliseconds, call) => fast.after(milliseconds, ofLife(call)),
		every: (milliseconds, call) => fast.every(milliseconds, ofLife(call)),
		wallNow: () => realClock.wallNow() + (lives.getStore()?.surroundings.skewMs ?? 0),
	};
}

/** What the package remembers of executions is forgotten with the life that has seen them. */
function rememberByLife(): () => void {
	const memory = ExecutionMemory.prototype as ExecutionMemory<unknown>;
	const { get, set } = Cache.prototype as Cache<string, unknown>;
	const ofLife = (key: string): string => {
		const { address = '' } = lives.getStore() ?? {};
		return key.startsWith(address) ? key : `${address} ${key}`;
	};
	memory.get = function (key) {
		return get.call(this, ofLife(key));
	};
	memory.set = function (key, value) {
		return set.call(this, ofLife(key), value);
	};
	return () => Object.assign(memory, { get, set });
}

/**
 * From now on this process holds lives: their waits run so many times as fast, their sockets, requests and memories are theirs.
 * @returns what puts an end to that.
 */
export function holdLives(times: number): () => void {
	const onCreate = (message: unknown): void => {
		const { request } = message as { request: UndiciRequest };
		const life = lives.getStore();
		if (life === undefined || life.isOver) return;
		sent.set(request, { life, nth: life.counted() });
		tell(request, 'sending');
	};
	const onSent = (message: unknown): void => tell((message as { request: UndiciRequest }).request, 'sent');
	const onAnswered = (message: unknown): void => tell((message as { request: UndiciRequest }).request, 'answered');
	const told = [
		{ on: channel('undici:request:create'), listener: onCreate },
		{ on: channel('undici:request:bodySent'), listener: onSent },
		{ on: channel('undici:request:headers'), listener: onAnswered },
	];
	for (const { on, listener } of told) on.subscribe(listener);
	const connect = net.connect;
	net.connect = ((...args: [net.TcpNetConnectOpts]) => lives.getStore()?.connect(args[0]) ?? connect(...args)) as typeof net.connect;
	setClock(clockOfLives(times));
	const remember = rememberByLife();
	return () => {
		remember();
		for (const { on, listener } of told) on.unsubscribe(listener);
		net.connect = connect;
		setClock(realClock);
	};
}

const TURNS = 10;

/** What was written has come to the sandbox, which runs in this process: what happens next does not meet it any more. */
export async function arrived(): Promise<void> {
	for (let turn = 0; turn < TURNS; turn++) await turnOfLoop();
}
