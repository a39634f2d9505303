import { untilStopped } from '../async/stoppableWait';
import type { ApiError } from '../errors/errors';
import { outcomeOf, valueOrThrow } from '../async/outcome';
import type { HttpResponse } from '../transport/response';

/** The path prefix of the routes. Older and newer documents differ. */
export type RouterPrefix = '/v1' | '/v2';

/** The newer one first. The public service answers only under this one. */
const CANDIDATES: readonly RouterPrefix[] = ['/v2', '/v1'];

export interface PrefixProbe {
	/** Reads the first entry of the catalog, which costs nothing. */
	ask(prefix: RouterPrefix): Promise<HttpResponse>;
	/** @throws UnreadableAnswerError if the response is not a catalog. */
	checkCatalog(response: HttpResponse): Promise<void>;
	readRejection(response: HttpResponse): Promise<ApiError>;
}

/** Finds the prefix of one connection, once for all callers. */
export class PrefixFinder {
	private readonly candidates: readonly RouterPrefix[];
	private found?: Promise<RouterPrefix>;

	constructor(
		setting: 'automatic' | RouterPrefix,
		private readonly probe: PrefixProbe,
	) {
		this.candidates = setting === 'automatic' ? CANDIDATES : [setting];
		if (setting !== 'automatic') this.found = Promise.resolve(setting);
	}

	/**
	 * Returns the prefix. A caller that stops does not end the search of the others.
	 * @throws as `verify` does. The next call searches again.
	 */
	async get(signal?: AbortSignal): Promise<RouterPrefix> {
		this.found ??= this.find();
		return await untilStopped(this.found, signal);
	}

	/**
	 * Sends a request in any case.
	 * @throws ApiError for a wrong credential; UnreadableAnswerError if something else answers; ConnectionError.
	 */
	async verify(signal?: AbortSignal): Promise<void> {
		await untilStopped(this.find(), signal);
	}

	private async find(): Promise<RouterPrefix> {
		const outcome = await outcomeOf(this.findFirstAnswering());
		if (outcome.ok) this.found = Promise.resolve(outcome.value);
		else if (this.candidates.length > 1) this.found = undefined;
		return valueOrThrow(outcome);
	}

	private async findFirstAnswering(): Promise<RouterPrefix> {
		for (const [index, prefix] of this.candidates.entries()) {
			const response = await this.probe.ask(prefix);
			if (response.ok) {
				await this.probe.checkCatalog(response);
				return prefix;
			}
			if (!isBareNotFound(response)) throw await this.probe.readRejection(response);
			await response.discard();
			if (index === this.candidates.length - 1) throw response.unreadable('unexpected');
		}
		throw new Error('No prefix to try');
	}
}

/** Every error of the router names a bucket, so a 404 without one does not come from it. */
const isBareNotFound = (response: HttpResponse): boolean => response.status === 404 && response.vendorHeader('error-type') === undefined;
