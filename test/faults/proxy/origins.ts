import type { Sandbox } from '../../../sandbox';

export type Urls = Sandbox['urls'];
export type SurfaceName = keyof Urls;

/** Puts other origins where the service names its own: so its links lead through the proxy as well. */
export class Origins {
	private readonly pairs: ReadonlyArray<readonly [from: string, to: string]>;
	readonly urls: Urls;

	/** @param ports of the proxy, by surface. */
	constructor(urls: Urls, ports: ReadonlyMap<SurfaceName, number>) {
		const entries = Object.entries(urls) as Array<[SurfaceName, string]>;
		this.pairs = entries.map(([name, url]) => [new URL(url).origin, `http://127.0.0.1:${ports.get(name)}`]);
		this.urls = Object.fromEntries(entries.map(([name, url]) => [name, this.moved(url)])) as unknown as Urls;
	}

	moved(text: string): string {
		return this.pairs.reduce((moved, [from, to]) => moved.replaceAll(from, to), text);
	}
}
