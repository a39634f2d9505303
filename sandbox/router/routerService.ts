/** What the routes of the router share. */
import { Catalog } from './catalog';
import { Clock, type RouterLimits, type RouterParts } from './routerParts';
import { Generations } from './generations';
import { RequestQueue } from './requestQueue';
import { KeyRecords } from './keyRecords';

export interface RouterService extends RouterParts {
	catalog: Catalog;
	clock: Clock;
	limits: RouterLimits;
	generations: Generations;
	records: KeyRecords;
	queue: RequestQueue;
}

export function openRouter(parts: RouterParts): RouterService {
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
