import type { IExecuteFunctions } from 'n8n-workflow';

import { type AssetStore, connect, connectRouter, type ModelRouter, type OutboundNetwork, type RouterSettings } from '../../../client';
import { readRouterCredential, type RouterCredential, type RouterCredentialName } from '../credentials';
import type { ConnectionProvider, ItemRun, OpenLimits } from '../operation';
import type { OfferedOperation } from '../descriptions/operations';
import { outboundNetworkOf } from './openConnection';
import { ServerContacts, toConnectionId } from './serviceConnections';

export interface ModelRouterConnection {
	router: ModelRouter;
	/** Downloads files from any address, without the credential. */
	files: Pick<AssetStore, 'download'>;
	/** @see connectRouter */
	verifyAccess(): Promise<void>;
	close(): Promise<void>;
}

export type RouterItem = ItemRun<ModelRouterConnection, RouterCredential>;

export type RouterOperation<Settings> = OfferedOperation<Settings, ModelRouterConnection, RouterCredential>;

/**
 * @param limits `readBudgetMs` is for all attempts of one read, `contact` for a router that does not answer. The client has defaults.
 * @throws ConnectionError `invalid_address`; ApiError `unauthorized` for a key that cannot be sent.
 */
export function openRouter(
	credential: RouterCredential,
	outboundNetwork?: OutboundNetwork,
	limits: Pick<RouterSettings, 'readBudgetMs' | 'contact'> = {},
): ModelRouterConnection {
	const { baseUrl, rejectUnauthorized, prefix, kind, token } = credential;
	const secret = kind === 'apiKey' ? ({ kind, key: token } as const) : ({ kind, token } as const);
	const connection = connectRouter({
		baseUrl,
		rejectUnauthorized,
		prefix,
		credential: secret,
		outboundNetwork,
		...limits,
	});
	const withoutCredential = connect({ interface: 'v2', baseUrl, rejectUnauthorized, outboundNetwork });
	return {
		router: connection.router,
		files: withoutCredential.assets,
		verifyAccess: async () => await connection.verifyAccess(),
		close: async () => void (await Promise.all([connection.close(), withoutCredential.close()])),
	};
}

/** One connection for each distinct credential of a run. */
export class RouterConnections implements ConnectionProvider<ModelRouterConnection, RouterCredential> {
	private readonly connections = new Map<string, ModelRouterConnection>();
	private readonly contacts = new ServerContacts();

	constructor(private readonly execution: IExecuteFunctions) {}

	async readCredential(itemIndex: number): Promise<RouterCredential> {
		const name = this.execution.getNodeParameter('authentication', itemIndex) as RouterCredentialName;
		return readRouterCredential(name, await this.execution.getCredentials(name, itemIndex));
	}

	async open(credential: RouterCredential, limits: OpenLimits): Promise<ModelRouterConnection> {
		const id = toConnectionId(credential, limits);
		const contact = this.contacts.get(id, limits);
		const connection = this.connections.get(id) ?? openRouter(credential, outboundNetworkOf(this.execution), { contact });
		this.connections.set(id, connection);
		return await Promise.resolve(connection);
	}

	async close(): Promise<void> {
		await Promise.all([...this.connections.values()].map(async (connection) => await connection.close()));
	}
}
