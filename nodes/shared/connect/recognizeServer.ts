import { ApiError, type OutboundNetwork, outcomeOf, type Product, recognize, UnreadableAnswerError } from '../../../client';
import { credentialAt, type NamedCredential, originOf } from '../credentials';

type DoubtfulAnswer = UnreadableAnswerError['facts'];

/** A truncated answer, a login, a redirect to another origin or a gateway error does not show which server answered. */
const mayBeOtherProduct = ({ reason, status }: DoubtfulAnswer): boolean =>
	reason !== 'truncated' && reason !== 'other_origin' && status < 500 && ![401, 403, 429].includes(status);

/** Returns the facts of an answer that another product may have given. v1 has no error codes, so its 404 and 405 are among them. */
function doubtfulAnswer(error: unknown, { baseUrl }: NamedCredential): DoubtfulAnswer | undefined {
	if (error instanceof UnreadableAnswerError) return mayBeOtherProduct(error.facts) ? error.facts : undefined;
	const isUnspecific = error instanceof ApiError && error.interface === 'v1' && [404, 405].includes(error.status);
	return isUnspecific ? { status: error.status, contentType: null, reason: 'unexpected', address: baseUrl } : undefined;
}

/** Finds out which product answers at an entered address if its answer is unknown. It asks each address once. */
export class ServerRecognition {
	private readonly products = new Map<string, Promise<Product | undefined>>();

	constructor(private readonly outboundNetwork: OutboundNetwork | undefined) {}

	/** Returns the same error, with the product if it was recognized. */
	async addProduct(error: unknown, credential: NamedCredential | undefined, signal?: AbortSignal): Promise<unknown> {
		if (credential === undefined) return error;
		const facts = doubtfulAnswer(error, credential);
		if (facts === undefined) return error;
		const origin = originOf(facts.address);
		const { baseUrl, engineUrl = '' } = credentialAt(facts.address, credential);
		const entered = [baseUrl, engineUrl].find((url) => originOf(url) === origin);
		if (entered === undefined) return error;
		const recognizing =
			this.products.get(entered) ?? recognize({ ...credential, baseUrl: entered, outboundNetwork: this.outboundNetwork }, { signal });
		this.products.set(entered, recognizing);
		const product = await outcomeOf(recognizing);
		if (!product.ok || product.value === undefined) return error;
		// The expected service answers in the same way if the key is wrong.
		if (product.value === 'service' && error instanceof ApiError) return error;
		return new UnreadableAnswerError({ ...facts, product: product.value }, { cause: error });
	}
}
