import { setNewest } from '../caches';

/** A map of so many things at most: what was not asked for the longest is forgotten. */
export class Recently<T> {
	private readonly all = new Map<string, T>();

	constructor(private readonly most: number) {}

	get(key: string): T | undefined {
		const found = this.all.get(key);
		return found === undefined ? undefined : this.set(key, found);
	}

	set(key: string, value: T): T {
		return setNewest(this.all, key, value, this.most);
	}
}
