import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { connect, type ConnectSettings, type Connection, findServer, outcomeOf, type ServerControl, type ServerSettings } from '../../client';
import { type CredentialName, readControlCredential, readCredential } from './credential';
import { type ChosenInterface, type Doors, ItemFault, type Operation, type Patience, type ServiceCredential } from './operations';

export type Egress = NonNullable<ConnectSettings['egress']>;

/** What n8n 2.29 and later offer to clients with a transport of their own; older types do not know it. */
interface EgressHelpers {
	getSecureEgressFilter?: () => {
		validateUrl(url: URL): Promise<{ ok: true } | { ok: false; error: Error }>;
		createSecureLookup(): NonNullable<Egress['lookup']>;
	};
}

/** n8n's own rules on which addresses may be reached. */
export function egressOf(execution: { helpers: object }): Egress | undefined {
	const filter = (execution.helpers as EgressHelpers).getSecureEgressFilter?.();
	if (filter === undefined) return undefined;
	return {
		lookup: filter.createSecureLookup(),
		validateUrl: async (url) => {
			const allowed = await filter.validateUrl(url);
			if (!allowed.ok) throw allowed.error;
		},
	};
}

export const accessOf = (credential: ServiceCredential, egress?: Egress): Omit<ConnectSettings, 'interface'> => ({
	baseUrl: credential.baseUrl,
	hostedUrl: credential.hostedUrl === '' ? undefined : credential.hostedUrl,
	token: credential.token === '' ? undefined : credential.token,
	authorization: credential.authorization === '' ? undefined : credential.authorization,
	keepLinksOnBaseOrigin: credential.keepLinksOnBaseOrigin,
	rejectUnauthorized: credential.rejectUnauthorized,
	egress,
});

/** What a server of one's own is looked for with. */
export const serverSettings = (credential: ServiceCredential, egress?: Egress): ServerSettings => ({
	...accessOf(credential, egress),
	engineUrl: credential.engineUrl,
	wanted: credential.needsEngine ? 'engine' : 'any',
});

/** The client's own time limits are for nobody who waits in front of a screen. */
export type OtherLimits = Pick<ConnectSettings, 'readBudgetMs' | 'limits'>;

/** @throws as `connect` and `findServer` do. */
export async function openWith(credential: ServiceCredential, egress?: Egress, patience?: Partial<Patience>, limits?: OtherLimits): Promise<Connection> {
	const { interface: chosen } = credential;
	if (chosen !== 'automatic') return connect({ ...accessOf(credential, egress), ...limits, interface: chosen });
	const found = await findServer({ ...serverSettings(credential, egress), ...limits }, { signal: patience?.signal, patienceMs: patience?.milliseconds });
	return found.connection;
}

/** For operations that are `beyondV2`. */
export function serverControl({ control }: Connection): ServerControl {
	if (control === undefined) throw new Error('v2 has no queue to control');
	return control;
}

const CHOICES: Record<CredentialName, readonly ChosenInterface[]> = {
	comfyApi: ['automatic', 'v2', 'v1'],
	comfySelfHostedApi: ['automatic', 'v2', 'engine'],
};

/** What the option *Interface* means beside this credential. @throws ItemFault for what is none. */
export function chosenInterface(name: CredentialName, chosen: unknown): ChosenInterface {
	const choices = CHOICES[name];
	const own = choices.find((one) => one === chosen);
	if (own !== undefined) return own;
	// Of the other credential: left over from before Authentication was changed.
	if (Object.values(CHOICES).some((others) => others.some((one) => one === chosen))) return 'automatic';
	throw new ItemFault(`There is no interface "${String(chosen)}" here`, `Choose ${choices.join(', ')} under Interface, in Options.`);
}

/** @param chosen is not asked for what v2 does not offer: there is one way then. */
export const credentialOf = (
	name: CredentialName,
	data: ICredentialDataDecryptedObject,
	{ beyondV2 }: Pick<Operation<never>, 'beyondV2'>,
	chosen: () => ChosenInterface,
): ServiceCredential => (beyondV2 ? readControlCredential(name, data) : readCredential(name, data, chosen()));

/** One connection for each distinct credential and interface of a run; keep-alive sockets are shared by all items. */
export class Connections implements Doors<Connection, ServiceCredential> {
	private readonly open = new Map<string, Promise<Connection>>();

	constructor(private readonly execution: IExecuteFunctions) {}

	async credentialOf(itemIndex: number, operation: Pick<Operation<never>, 'beyondV2'>): Promise<ServiceCredential> {
		const name = this.execution.getNodeParameter('authentication', itemIndex) as CredentialName;
		const data = await this.execution.getCredentials(name, itemIndex);
		return credentialOf(name, data, operation, () => chosenInterface(name, this.execution.getNodeParameter('options.interface', itemIndex, 'automatic')));
	}

	/** @throws ConnectionError; ApiError `unauthorized` for a key that cannot be sent; then it is tried anew for the next item. */
	async with(credential: ServiceCredential, patience: Patience): Promise<Connection> {
		const id = JSON.stringify(credential);
		const opening = this.open.get(id) ?? openWith(credential, egressOf(this.execution), patience);
		this.open.set(id, opening);
		const opened = await outcomeOf(opening);
		if (!opened.ok && this.open.get(id) === opening) this.open.delete(id);
		return await opening;
	}

	async close(): Promise<void> {
		const opened = await Promise.allSettled(this.open.values());
		await Promise.all(opened.map(async (connection) => connection.status === 'fulfilled' && (await connection.value.close())));
	}
}
