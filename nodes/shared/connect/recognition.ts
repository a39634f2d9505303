import { ApiError, outcomeOf, type Product, recognize, UnreadableAnswerError, type OutboundNetwork } from '../../../client';
import { type NamedCredential, originOf } from '../credentials';

type Facts = UnreadableAnswerError['facts'];

/** Half an answer, a login, a redirect elsewhere, or trouble behind a gateway, says nothing of who should answer. */
const mayBeAnother = ({ reason, status }: Facts): boolean =>
	reason !== 'truncated' && reason !== 'other_origin' && status < 500 && ![401, 403, 429].includes(status);

/** What may have come from somebody else. v1 has no codes of its own, so that anybody's 404 counts as its. */
function doubtfulAnswer(error: unknown, { baseUrl }: NamedCredential): Facts | undefined {
	if (error instanceof UnreadableAnswerError) return mayBeAnother(error.facts) ? error.facts : undefined;
	const isAnybodys = error instanceof ApiError && error.interface === 'v1' && [404, 405].includes(error.status);
	return isAnybodys ? { status: error.status, contentType: null, reason: 'unexpected', address: baseUrl } : undefined;
}

/** Finds out what stands at an entered address that answers as nothing known; each address is asked once. */
export class Recognition {
	private readonly asked = new Map<string, Promise<Product | undefined>>();

	constructor(private readonly egress: OutboundNetwork | undefined) {}

	/** @returns the same failure, with what was found. */
	async of(error: unknown, credential: NamedCredential | undefined, signal?: AbortSignal): Promise<unknown> {
		if (credential === undefined) return error;
		const facts = doubtfulAnswer(error, credential);
		if (facts === undefined) return error;
		const origin = originOf(facts.address);
		const entered = [credential.baseUrl, credential.engineUrl ?? ''].find((url) => originOf(url) === origin);
		if (entered === undefined) return error;
		const asking = this.asked.get(entered) ?? recognize({ ...credential, baseUrl: entered, outboundNetwork: this.egress }, { signal });
		this.asked.set(entered, asking);
		const found = await outcomeOf(asking);
		if (!found.ok || found.value === undefined) return error;
		// What wants a key may well be what was expected.
		if (found.value === 'service' && error instanceof ApiError) return error;
		return new UnreadableAnswerError({ ...facts, product: found.value }, { cause: error });
	}
}
