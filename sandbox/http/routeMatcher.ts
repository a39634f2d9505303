/** Patterns like `GET /api/v2/jobs/:id`, by which faults, records and peaks name requests. */
import type { Surface } from '../vocabulary';

export interface RouteTarget {
	surface: Surface;
	method: string;
	/** Without mount prefix and query. */
	path: string;
}

/**
 * Whether a request is meant: `:name` stands for one segment, `*` at the end for the rest, `*` as method for any.
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
