import type { ApiError } from '../errors';
import { untilStopped } from '../transport/abort';
import { outcomeOf } from '../transport/outcome';
import type { HttpResponse } from '../transport/response';

/** Under which path the routes are: documents of different ages differ. */
export type RouterPrefix = '/v1' | '/v2';

/** The newer first: it is the only one that the public service still answers under. */
const CANDIDATES: readonly RouterPrefix[] = ['/v2', '/v1'];

export interface PrefixProbe {
	/** Asks for the first entry of the catalog: a read, so that nothing can be billed. */
	ask(prefix: RouterPrefix): Promise<HttpResponse>;
	/** @throws UnreadableAnswerError for what is no catalog. */
	checkCatalog(response: HttpResponse): Promise<void>;
	refusalOf(response: HttpResponse): Promise<ApiError>;
}

/** The prefix of one connection, found once for all its callers. */
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

	/** A caller that stops leaves the others their answer. @throws as `verify` does; then it is looked for again. */
	async get(signal?: AbortSignal): Promise<RouterPrefix> {
		this.found ??= this.find();
		return await untilStopped(this.found, signal);
	}

	/**
	 * Asks in any case.
	 * @throws ApiError for a wrong credential; UnreadableAnswerError when something else answers; ConnectionError.
	 */
	async verify(signal?: AbortSignal): Promise<void> {
		await untilStopped(this.find(), signal);
	}

	private async find(): Promise<RouterPrefix> {
		const outcome = await outcomeOf(this.firstThatAnswers());
		if (outcome.ok) this.found = Promise.resolve(outcome.value);
		else if (this.candidates.length > 1) this.found = undefined;
		if (outcome.ok) return outcome.value;
		throw outcome.error;
	}

	private async firstThatAnswers(): Promise<RouterPrefix> {
		for (const [index, prefix] of this.candidates.entries()) {
			const response = await this.probe.ask(prefix);
			if (response.ok) {
				await this.probe.checkCatalog(response);
				return prefix;
			}
			if (!isBareNotFound(response)) throw await this.probe.refusalOf(response);
			await response.discard();
			if (index === this.candidates.length - 1) throw response.unreadable('unexpected');
		}
		throw new Error('No prefix to try');
	}
}

/** The router itself names a bucket in every refusal. */
const isBareNotFound = (response: HttpResponse): boolean => response.status === 404 && response.vendorHeader('error-type') === undefined;
