import type { IExecuteFunctions } from 'n8n-workflow';

import { connect, type ConnectSettings, type Connection } from '../../client';
import { type CredentialName, readCredential } from './credential';
import type { ServiceCredential } from './operations';

type Egress = NonNullable<ConnectSettings['egress']>;

/** What n8n 2.29 and later offer to clients with a transport of their own; older types do not know it. */
interface EgressHelpers {
	getSecureEgressFilter?: () => {
		validateUrl(url: URL): Promise<{ ok: true } | { ok: false; error: Error }>;
		createSecureLookup(): NonNullable<Egress['lookup']>;
	};
}

/** n8n's own rules on which addresses may be reached. */
function egressOf(execution: IExecuteFunctions): Egress | undefined {
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
		interface: 'v2',
		baseUrl: credential.baseUrl,
		token: credential.token === '' ? undefined : credential.token,
		keepLinksOnBaseOrigin: credential.keepLinksOnBaseOrigin,
		rejectUnauthorized: credential.rejectUnauthorized,
		egress,
	});

/** One connection for each distinct credential of a run; keep-alive sockets are shared by all items. */
export class Connections {
	private readonly open = new Map<string, Connection>();

	constructor(private readonly execution: IExecuteFunctions) {}

	async forItem(itemIndex: number): Promise<{ credential: ServiceCredential; connection: Connection }> {
		const name = this.execution.getNodeParameter('authentication', itemIndex) as CredentialName;
		const credential = readCredential(name, await this.execution.getCredentials(name, itemIndex));
		const id = JSON.stringify(credential);
		let connection = this.open.get(id);
		if (connection === undefined) {
			connection = connectWith(credential, egressOf(this.execution));
			this.open.set(id, connection);
		}
		return { credential, connection };
	}

	async close(): Promise<void> {
		await Promise.all([...this.open.values()].map(async (connection) => await connection.close()));
	}
}
