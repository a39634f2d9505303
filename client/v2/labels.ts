import type { ServiceAddress } from '../address';
import type { ConnectSettings } from '../connection';
import { ApiError, UnreadableAnswerError } from '../errors';
import type { MadeBy } from '../job';
import { type Labels, labelsOf } from '../madeBy';
import { decided } from '../observer';
import { outcomeOf } from '../transport/outcome';

/** `map`: deployments keep labels. `text`: the self-hosted proxy keeps one text. `none`: the hosted account keeps nothing, and refuses. */
type Form = 'map' | 'text' | 'none';

/** The proxy says the last for a map, too. */
const OF_LABELS: ReadonlySet<string> = new Set(['metadata_not_supported', 'metadata_invalid']);
const PERHAPS_OF_LABELS: ReadonlySet<string> = new Set([...OF_LABELS, 'invalid_request', 'invalid_body']);

/** Where labels were refused in this process: origin and prefix. */
const refusedAt = new Set<string>();

/** What a submission says of where its job comes from, as the surface at this address takes it. A refusal of that never fails a job. */
export class JobLabels {
	private readonly address: string;

	private constructor(
		{ origin, prefix }: ServiceAddress,
		private readonly form: Form,
	) {
		this.address = origin + prefix;
	}

	/** Which surface it is, is told by the settings: without a request. */
	static at(address: ServiceAddress, { hostedUrl }: Pick<ConnectSettings, 'hostedUrl'>): JobLabels {
		const isHosted = hostedUrl !== undefined && URL.canParse(hostedUrl) && new URL(hostedUrl).origin === address.origin;
		return new JobLabels(address, isHosted ? 'none' : hostedUrl === undefined ? 'text' : 'map');
	}

	/** False where it is certain that none are. */
	get areKept(): boolean {
		return this.form !== 'none' && !refusedAt.has(this.address);
	}

	/** Whether the service's list can be limited by them. */
	get areListed(): boolean {
		return this.form === 'map' && this.areKept;
	}

	/**
	 * Sends with labels, and where these are refused once more without: such a refusal comes before a job is made, and
	 * gives the key free again.
	 */
	async sent<T>(madeBy: MadeBy | undefined, send: (metadata?: Labels | string) => Promise<T>): Promise<T> {
		const labels = labelsOf(madeBy);
		if (!this.areKept || Object.keys(labels).length === 0) return await send();
		const labelled = await outcomeOf(send(this.form === 'text' ? JSON.stringify(labels) : labels));
		if (labelled.ok) return labelled.value;
		if (!mayBeOfLabels(labelled.error)) throw labelled.error;
		decided({ kind: 'sent_without_labels', error: labelled.error });
		const bare = await outcomeOf(send());
		if (bare.ok || isOfLabels(labelled.error)) refusedAt.add(this.address);
		if (bare.ok) return bare.value;
		throw bare.error;
	}
}

const isOfLabels = (error: unknown): boolean => error instanceof ApiError && OF_LABELS.has(error.code);

const mayBeOfLabels = (error: unknown): boolean =>
	error instanceof UnreadableAnswerError
		? [400, 422].includes(error.status)
		: error instanceof ApiError && PERHAPS_OF_LABELS.has(error.code);
