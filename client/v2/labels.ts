import type { ServiceAddress } from '../requests/address';
import type { ConnectSettings } from '../connection/connection';
import type { MadeBy } from '../ports/job';
import { type Labels, toLabels } from '../ports/madeBy';
import { OptionalPart } from './optionalPart';

/**
 * How a service stores labels. `map`: deployments store a map. `text`: the API proxy stores one text. `none`: the
 * hosted account stores nothing and rejects labels.
 */
type LabelForm = 'map' | 'text' | 'none';

/** The API proxy also answers `metadata_invalid` to a map. */
const labelPart = new OptionalPart('sent_without_labels', new Set(['metadata_not_supported', 'metadata_invalid']));

/** Adds labels to submissions in the form that the service at this address accepts. Rejected labels never fail a job. */
export class JobLabels {
	private constructor(
		private readonly address: ServiceAddress,
		private readonly form: LabelForm,
	) {}

	/** The settings determine the form, without a request. */
	static at(address: ServiceAddress, { hostedUrl }: Pick<ConnectSettings, 'hostedUrl'>): JobLabels {
		if (hostedUrl === undefined) return new JobLabels(address, 'text');
		const isHosted = URL.canParse(hostedUrl) && new URL(hostedUrl).origin === address.origin;
		return new JobLabels(address, isHosted ? 'none' : 'map');
	}

	/** False if it is certain that the service stores no labels. */
	get areStored(): boolean {
		return this.form !== 'none' && !labelPart.isRejectedBy(this.address);
	}

	/** Whether the service's job list can be filtered by labels. */
	get canFilter(): boolean {
		return this.form === 'map' && this.areStored;
	}

	/** Sends a submission with labels and, if these are rejected, again without them. */
	async sendWithLabels<T>(madeBy: MadeBy | undefined, send: (metadata?: Labels | string) => Promise<T>): Promise<T> {
		const labels = toLabels(madeBy);
		if (this.form === 'none' || Object.keys(labels).length === 0) return await send();
		const metadata = this.form === 'text' ? JSON.stringify(labels) : labels;
		return await labelPart.send(this.address, async (hasLabels) => await send(hasLabels ? metadata : undefined));
	}
}
