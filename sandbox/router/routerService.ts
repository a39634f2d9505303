/** What the routes of the router share. */
import { Catalog } from './catalog';
import { Clock, type RouterLimits, type RouterParts } from './routerParts';
import { Generations } from './generations';
import { RequestQueue } from './requestQueue';
import { KeyRecords } from './keyRecords';

export type RouterService = ReturnType<typeof openRouter>;

export function openRouter(parts: RouterParts) {
	const clock = new Clock();
	const limits: RouterLimits = { enabled: true, concurrency: Infinity, spend: new Map() };
	const generations = new Generations({ ...parts, limits });
	return {
		...parts,
		catalog: new Catalog(),
		clock,
		limits,
		generations,
		records: new KeyRecords(clock),
		queue: new RequestQueue(clock, generations, limits),
	};
}
