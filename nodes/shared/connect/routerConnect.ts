import type { IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';

import { type AssetStore, connect, connectRouter, type ModelRouter, type OutboundNetwork, type RouterSettings } from '../../../client';
import { egressOf } from './egress';
import type { Doors, ItemContext, Patience } from '../operation';
import { ContactsOfRun } from './connections';
import { readRouterCredential, type RouterCredential, type RouterCredentialName } from '../credentials';
import { logged } from '../debugLog';

export interface RouterLink {
	router: ModelRouter;
	/** For files at any address: nothing of the credential is sent there. */
	files: Pick<AssetStore, 'download'>;
	/** @see connectRouter */
	verifyAccess(): Promise<void>;
	close(): Promise<void>;
}

export type RouterContext<Settings> = ItemContext<Settings, RouterLink, RouterCredential>;

/**
 * @param limits `readBudgetMs` for all attempts of one read, `contact` for a router that does not answer; the client's own by default.
 * @throws ConnectionError `invalid_address`; ApiError `unauthorized` for a key that cannot be sent.
 */
export function linkTo(
	credential: RouterCredential,
	egress?: OutboundNetwork,
	limits: Pick<RouterSettings, 'readBudgetMs' | 'contact'> = {},
): RouterLink {
	const { baseUrl, rejectUnauthorized, prefix, kind, token } = credential;
	const secret = kind === 'apiKey' ? ({ kind, key: token } as const) : ({ kind, token } as const);
	const connection = connectRouter({ baseUrl, rejectUnauthorized, prefix, credential: secret, outboundNetwork: egress, ...limits });
	const outside = connect({ interface: 'v2', baseUrl, rejectUnauthorized, outboundNetwork: egress });
	return {
		router: connection.router,
		files: outside.assets,
		verifyAccess: async () => await connection.verifyAccess(),
		close: async () => void (await Promise.all([connection.close(), outside.close()])),
	};
}

/** One link for each distinct credential of a run. */
export class RouterDoors implements Doors<RouterLink, RouterCredential> {
	private readonly opened = new Map<string, RouterLink>();
	private readonly contacts = new ContactsOfRun();

	constructor(private readonly execution: IExecuteFunctions) {}

	async credentialOf(itemIndex: number): Promise<RouterCredential> {
		const name = this.execution.getNodeParameter('authentication', itemIndex) as RouterCredentialName;
		return readRouterCredential(name, await this.execution.getCredentials(name, itemIndex));
	}

	async open(credential: RouterCredential, { waitForServerMs }: Patience): Promise<RouterLink> {
		const id = JSON.stringify([credential, waitForServerMs]);
		const contact = this.contacts.get(id, waitForServerMs);
		const link = this.opened.get(id) ?? linkTo(credential, egressOf(this.execution), { contact });
		this.opened.set(id, link);
		return await Promise.resolve(link);
	}

	async close(): Promise<void> {
		await Promise.all([...this.opened.values()].map(async (link) => await link.close()));
	}
}

/** Someone sits in front of the list or the form, and can ask for it again. */
const EDITOR_READ_BUDGET_MS = 3_000;

/** While a node is being set up in the editor: does one thing with the router, then hangs up. */
export async function withRouter<T>(
	editor: ILoadOptionsFunctions,
	work: (router: ModelRouter) => Promise<T>,
	inWords: (error: unknown, credential: RouterCredential) => T,
): Promise<T> {
	const name = editor.getCurrentNodeParameter('authentication') as RouterCredentialName;
	const credential = readRouterCredential(name, await editor.getCredentials(name));
	try {
		return await logged(editor, { credential }, async () => {
			const link = linkTo(credential, egressOf(editor), { readBudgetMs: EDITOR_READ_BUDGET_MS });
			try {
				return await work(link.router);
			} finally {
				await link.close();
			}
		});
	} catch (error) {
		return inWords(error, credential);
	}
}
