import type { IExecuteFunctions } from 'n8n-workflow';

import { connect, type ConnectSettings, type Connection, type HostedAccount } from '../../client';
import { type CredentialName, readCredential } from './credential';
import { type ChosenInterface, type Doors, ItemFault, type Operation, type ServiceCredential } from './operations';

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

export const connectWith = (credential: ServiceCredential, egress?: Egress): Connection =>
	connect({
		interface: credential.interface,
		baseUrl: credential.interface === 'v1' ? credential.hostedUrl : credential.baseUrl,
		hostedUrl: credential.hostedUrl === '' ? undefined : credential.hostedUrl,
		token: credential.token === '' ? undefined : credential.token,
		keepLinksOnBaseOrigin: credential.keepLinksOnBaseOrigin,
		rejectUnauthorized: credential.rejectUnauthorized,
		egress,
	});

const needsHosted = (): ItemFault =>
	new ItemFault(
		'Only the hosted service offers this operation',
		'Set Authentication to API Key (Hosted or Deployment) and choose a Comfy API credential. Nothing was sent.',
	);

/** For operations that are `hostedOnly`. */
export function hostedAccount({ hosted }: Connection): HostedAccount {
	if (hosted === undefined) throw needsHosted();
	return hosted;
}

/** One connection for each distinct credential and interface of a run; keep-alive sockets are shared by all items. */
export class Connections implements Doors<Connection, ServiceCredential> {
	private readonly open = new Map<string, Connection>();

	constructor(private readonly execution: IExecuteFunctions) {}

	async credentialOf(itemIndex: number, operation: Pick<Operation<never>, 'hostedOnly'>): Promise<ServiceCredential> {
		const name = this.execution.getNodeParameter('authentication', itemIndex) as CredentialName;
		if (operation.hostedOnly && name !== 'comfyApi') throw needsHosted();
		const chosen = operation.hostedOnly ? 'v1' : this.interfaceOf(itemIndex);
		return readCredential(name, await this.execution.getCredentials(name, itemIndex), chosen);
	}

	/** @throws ConnectionError `invalid_address`; ApiError `unauthorized` for a key that cannot be sent. */
	with(credential: ServiceCredential): Connection {
		const id = JSON.stringify(credential);
		let connection = this.open.get(id);
		if (connection === undefined) {
			connection = connectWith(credential, egressOf(this.execution));
			this.open.set(id, connection);
		}
		return connection;
	}

	/** The field is hidden where there is no choice. */
	private interfaceOf(itemIndex: number): ChosenInterface {
		const chosen = this.execution.getNodeParameter('interface', itemIndex, 'v2');
		if (chosen === 'v2' || chosen === 'v1') return chosen;
		throw new ItemFault(`There is no interface "${String(chosen)}"`, 'Choose v2 or v1 under Interface.');
	}

	async close(): Promise<void> {
		await Promise.all([...this.open.values()].map(async (connection) => await connection.close()));
	}
}
