import { clock } from '../clock';
import type { ServiceAddress } from '../address';
import { type ApiLimits, type Decoder, ServiceApi } from '../api';
import { type ApiError, StoppedError, UnreadableAnswerError } from '../errors';
import { requireRecord } from '../decode';
import type { CallOptions } from '../ports';
import type { HttpClient, HttpRequest } from '../transport/http';
import { outcomeOf } from '../transport/outcome';
import type { NumberOptions } from '../transport/parseJson';
import type { HttpResponse } from '../transport/response';
import { isTransient } from '../transport/retry';
import { engineRefusal } from './refusal';

/** Whoever answered so shortly ago is up, and so is the connection. */
const AWAKE_FOR_MS = 5_000;

/** A bare ComfyUI. Each of its routes also answers under `/api`, where reverse proxies expect them. */
export class EngineApi extends ServiceApi {
	/** By the clock of what is real. */
	private answeredAt = -Infinity;

	constructor(http: HttpClient, address: ServiceAddress, limits: ApiLimits) {
		super(http, address, limits, '/api');
	}

	override async call<T>(request: HttpRequest, decode: Decoder<T>, options?: NumberOptions): Promise<T> {
		const answer = await super.call(request, decode, options);
		this.hasAnswered();
		return answer;
	}

	override hasAnswered(): void {
		this.answeredAt = clock.realNow();
	}

	/**
	 * Asks for the smallest answer there is, unless one came just now.
	 * @throws what says that the engine is not there yet, or that a web page answers in its place. The next call reports
	 *   any other failure.
	 */
	async requireAwake({ signal }: CallOptions): Promise<void> {
		if (clock.realNow() - this.answeredAt < AWAKE_FOR_MS) return;
		const asked = await outcomeOf(this.call({ method: 'GET', url: this.url('/prompt'), signal }, (json) => requireRecord(json, 'answer')));
		if (asked.ok) return;
		const { error } = asked;
		const isWebPage = error instanceof UnreadableAnswerError && error.facts.reason === 'html';
		if (error instanceof StoppedError || isTransient(error) || isWebPage) throw error;
	}

	protected override async ownRefusal(response: HttpResponse): Promise<ApiError> {
		return await engineRefusal(response);
	}

	/** Its answers hold no links. */
	override resolve(link: string): string {
		return link;
	}
}
