import { outcomeOf, type Product, recognize, UnreadableAnswerError } from '../../client';
import type { Egress } from './connect';
import type { NamedCredential } from './operations';

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);

/** Half an answer, a login, or trouble behind a gateway, says nothing of who should answer. */
const mayBeAnother = ({ facts }: UnreadableAnswerError): boolean => facts.reason !== 'truncated' && facts.status < 500 && ![401, 403, 429].includes(facts.status);

/** Finds out what stands at an entered address that answers as nothing known; each address is asked once. */
export class Recognition {
	private readonly asked = new Map<string, Promise<Product | undefined>>();

	constructor(private readonly egress: Egress | undefined) {}

	/** @returns the same failure, with what was found. */
	async of(error: unknown, credential: NamedCredential | undefined, signal?: AbortSignal): Promise<unknown> {
		if (credential === undefined || !(error instanceof UnreadableAnswerError) || !mayBeAnother(error)) return error;
		const origin = originOf(error.facts.address);
		const entered = [credential.baseUrl, credential.engineUrl ?? ''].find((url) => originOf(url) === origin);
		if (entered === undefined) return error;
		const asking = this.asked.get(entered) ?? recognize({ ...credential, baseUrl: entered, egress: this.egress }, { signal });
		this.asked.set(entered, asking);
		const found = await outcomeOf(asking);
		if (!found.ok || found.value === undefined) return error;
		return new UnreadableAnswerError({ ...error.facts, product: found.value }, { cause: error.cause });
	}
}
