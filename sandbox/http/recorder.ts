/** Records every request and how many were open at the same time. */
import type { RecordedRequest } from '../types';
import type { Surface } from '../vocabulary';
import type { MeteredRequest, MeteredResponse } from './metered';

interface Exchange {
	record: RecordedRequest;
	refresh(): void;
	/** Positions in the order of all starts and ends. */
	opened: number;
	closed: number;
}

interface RequestFacts {
	surface: Surface;
	origin: string;
	path: string;
	requestId: string;
}

export class Recorder {
	#exchanges: Exchange[] = [];
	#moment = 0;

	open(request: MeteredRequest, response: MeteredResponse, facts: RequestFacts): void {
		const { socket } = request;
		const [address = '', ...query] = (request.url ?? '').split('?');
		const writtenBefore = socket.bytesWritten;
		const record: RecordedRequest = {
			surface: facts.surface,
			method: request.method ?? '',
			path: facts.path,
			url: facts.origin + address,
			query: query.join('?'),
			headers: { ...request.headers },
			bodyBytes: 0,
			bodyText: '',
			status: null,
			responseBytes: 0,
			requestId: facts.requestId,
			at: Date.now(),
			finished: false,
		};
		const refresh = (): void => {
			record.bodyBytes = request.bodyBytes;
			record.bodyText = request.bodyText;
			record.responseBytes = socket.bytesWritten - writtenBefore;
			record.status = record.responseBytes > 0 ? response.statusCode : null;
			record.finished ||= response.writableFinished;
		};
		const exchange: Exchange = { record, refresh, opened: this.#moment++, closed: Infinity };
		this.#exchanges.push(exchange);
		const close = (): void => {
			if (exchange.closed !== Infinity) return;
			exchange.closed = this.#moment++;
			refresh();
			record.finished = true;
			exchange.refresh = () => undefined;
		};
		response.once('finish', close);
		response.once('close', close);
	}

	requests(on = '* *', surface?: Surface): RecordedRequest[] {
		return this.#matching(on, surface).map(({ record, refresh }) => {
			refresh();
			return record;
		});
	}

	peak(on: string, surface?: Surface): number {
		const steps = this.#matching(on, surface).flatMap(({ opened, closed }) => [
			{ moment: opened, change: 1 },
			{ moment: closed, change: -1 },
		]);
		steps.sort((left, right) => left.moment - right.moment);
		let open = 0;
		let highest = 0;
		for (const { change } of steps) {
			open += change;
			highest = Math.max(highest, open);
		}
		return highest;
	}

	reset(): void {
		this.#exchanges = [];
	}

	#matching(on: string, surface?: Surface): Exchange[] {
		const matches = routeMatcher(on, surface);
		return this.#exchanges.filter(({ record }) => matches(record));
	}
}

export interface RouteTarget {
	surface: Surface;
	method: string;
	/** Without mount prefix and query. */
	path: string;
}

/**
 * Matches requests by method and path. `:name` matches one segment, `*` at the end the rest, `*` as method every method.
 * @throws Error when the pattern is not a method and a path.
 */
export function routeMatcher(on: string, surface?: Surface): (target: RouteTarget) => boolean {
	const [method, pattern, ...rest] = on.trim().split(/\s+/);
	if (method === undefined || pattern === undefined || rest.length > 0 || !/^[/*]/.test(pattern)) {
		throw new Error(`Not a route: ${JSON.stringify(on)}; write a method and a path, e.g. "POST /api/v2/jobs"`);
	}
	const path = new RegExp(`^${pattern.split('/').map(segmentPattern).join('/')}$`);
	return (target) =>
		(method === '*' || method.toUpperCase() === target.method) &&
		(surface === undefined || surface === target.surface) &&
		path.test(target.path);
}

function segmentPattern(segment: string): string {
	if (segment === '*') return '.*';
	if (segment.startsWith(':')) return '[^/]+';
	return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
