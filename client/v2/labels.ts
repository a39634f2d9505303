import type { ServiceAddress } from '../requests/address';
import type { ConnectSettings } from '../connection/connection';
import { ApiError, UnreadableAnswerError } from '../errors/errors';
import type { MadeBy } from '../ports/job';
import { type Labels, toLabels } from '../ports/madeBy';
import { logDecision } from '../log/observer';
import { outcomeOf, valueOrThrow } from '../async/outcome';
import { Cache } from '../cache/cache';

/**
 * How a service stores labels. `map`: deployments store a map. `text`: the API proxy stores one text. `none`: the
 * hosted account stores nothing and rejects labels.
 */
type LabelForm = 'map' | 'text' | 'none';

/** The codes that reject labels. The API proxy also answers `metadata_invalid` to a map. */
const LABEL_CODES: ReadonlySet<string> = new Set(['metadata_not_supported', 'metadata_invalid']);
const POSSIBLE_LABEL_CODES: ReadonlySet<string> = new Set([...LABEL_CODES, 'invalid_request', 'invalid_body']);

/** One rejection may have another cause than the service, so labels are tried again after this time. */
const REJECTION_TTL_MS = 60 * 60 * 1000;
const MOST_SERVICES = 1_000;

/** The services that rejected labels in this process, by origin and prefix. */
const rejectingServices = new Cache<string, true>({ mostEntries: MOST_SERVICES, ttlMs: REJECTION_TTL_MS });

/** Adds labels to submissions in the form that the service at this address accepts. Rejected labels never fail a job. */
export class JobLabels {
	private readonly address: string;

	private constructor(
		{ origin, prefix }: ServiceAddress,
		private readonly form: LabelForm,
	) {
		this.address = origin + prefix;
	}

	/** The settings determine the form, without a request. */
	static at(address: ServiceAddress, { hostedUrl }: Pick<ConnectSettings, 'hostedUrl'>): JobLabels {
		if (hostedUrl === undefined) return new JobLabels(address, 'text');
		const isHosted = URL.canParse(hostedUrl) && new URL(hostedUrl).origin === address.origin;
		return new JobLabels(address, isHosted ? 'none' : 'map');
	}

	/** False if it is certain that the service stores no labels. */
	get areStored(): boolean {
		return this.form !== 'none' && !rejectingServices.has(this.address);
	}

	/** Whether the service's job list can be filtered by labels. */
	get canFilter(): boolean {
		return this.form === 'map' && this.areStored;
	}

	/**
	 * Sends a submission with labels and, if these are rejected, again without them. The service checks labels before it
	 * makes a job, and does not use up the key.
	 */
	async sendWithLabels<T>(madeBy: MadeBy | undefined, send: (metadata?: Labels | string) => Promise<T>): Promise<T> {
		const labels = toLabels(madeBy);
		if (!this.areStored || Object.keys(labels).length === 0) return await send();
		const labelled = await outcomeOf(send(this.form === 'text' ? JSON.stringify(labels) : labels));
		if (labelled.ok) return labelled.value;
		if (!mayBeLabelError(labelled.error)) throw labelled.error;
		logDecision({ kind: 'sent_without_labels', error: labelled.error });
		const unlabelled = await outcomeOf(send());
		if (unlabelled.ok || isLabelError(labelled.error)) rejectingServices.set(this.address, true);
		return valueOrThrow(unlabelled);
	}
}

const isLabelError = (error: unknown): boolean => error instanceof ApiError && LABEL_CODES.has(error.code);

const mayBeLabelError = (error: unknown): boolean =>
	error instanceof UnreadableAnswerError
		? [400, 422].includes(error.status)
		: error instanceof ApiError && POSSIBLE_LABEL_CODES.has(error.code);
