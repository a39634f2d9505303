import {
	connect,
	type ConnectSettings,
	type Connection,
	type OutboundNetwork,
	findServer,
	type ServerContact,
	type ServerControl,
	type ServerSettings,
} from '../../../client';
import type { ServiceCredential } from '../credentials';

export const accessOf = (credential: ServiceCredential, egress?: OutboundNetwork): Omit<ConnectSettings, 'interface'> => ({
	baseUrl: credential.baseUrl,
	hostedUrl: credential.hostedUrl === '' ? undefined : credential.hostedUrl,
	token: credential.token === '' ? undefined : credential.token,
	authorization: credential.authorization === '' ? undefined : credential.authorization,
	keepLinksOnBaseOrigin: credential.keepLinksOnBaseOrigin,
	rejectUnauthorized: credential.rejectUnauthorized,
	outboundNetwork: egress,
});

/** What a server of one's own is looked for with. */
export const serverSettings = (credential: ServiceCredential, egress?: OutboundNetwork): ServerSettings => ({
	...accessOf(credential, egress),
	engineUrl: credential.engineUrl,
	wanted: credential.needsEngine ? 'engine' : 'any',
});

/** The client's own time limits are for nobody who waits in front of a screen. */
export type OtherLimits = Pick<ConnectSettings, 'readBudgetMs' | 'limits'>;

export interface OpenOptions extends OtherLimits {
	signal?: AbortSignal;
	/** How long to wait for a server that does not answer. */
	contact?: ServerContact;
	/** How long to look for a server, in milliseconds, if there is no `contact`. */
	patienceMs?: number;
}

/** @throws as `connect` and `findServer` do. */
export async function openConnection(
	credential: ServiceCredential,
	egress: OutboundNetwork | undefined,
	{ signal, patienceMs, ...limits }: OpenOptions,
): Promise<Connection> {
	const { interface: chosen } = credential;
	if (chosen !== 'automatic') return connect({ ...accessOf(credential, egress), ...limits, interface: chosen });
	const found = await findServer({ ...serverSettings(credential, egress), ...limits }, { signal, patienceMs });
	return found.connection;
}

/** For operations that say `needsControl`. */
export function serverControl({ control }: Connection): ServerControl {
	if (control === undefined) throw new Error('v2 has no queue to control');
	return control;
}
