import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import {
	connect,
	type Connection,
	type ConnectSettings,
	type EngineConnection,
	findServer,
	openPool,
	type OutboundNetwork,
	type PoolSettings,
	type ServerConnection,
	ServerContact,
	type ServerSettings,
} from '../../../client';
import {
	type ChosenInterface,
	type CredentialName,
	readControlCredential,
	readCredential,
	serversOf,
	type ServiceCredential,
} from '../credentials';
import { requireChoice } from '../itemFault';
import { messages } from '../messages/catalogue';
import type { ServerTask } from '../messages/topics/server';
import type { Operation } from '../operation';
import { ItemFault } from '../itemFault';

/** The rules of n8n 2.29 and later about reachable addresses. Older versions do not have this helper. */
interface NetworkHelpers {
	getSecureEgressFilter?: () => {
		validateUrl(url: URL): Promise<{ ok: true } | { ok: false; error: Error }>;
		createSecureLookup(): NonNullable<OutboundNetwork['lookup']>;
	};
}

/** Returns n8n's rules about reachable addresses, or undefined if this n8n has none. */
export function outboundNetworkOf(execution: { helpers: object }): OutboundNetwork | undefined {
	const filter = (execution.helpers as NetworkHelpers).getSecureEgressFilter?.();
	if (filter === undefined) return undefined;
	return {
		lookup: filter.createSecureLookup(),
		validateUrl: async (url) => {
			const allowed = await filter.validateUrl(url);
			if (!allowed.ok) throw allowed.error;
		},
	};
}

const CHOICES: Record<CredentialName, readonly ChosenInterface[]> = {
	comfyApi: ['automatic', 'v2', 'v1'],
	comfySelfHostedApi: ['automatic', 'v2', 'engine'],
};

/** Returns what the option *Interface* means for this credential. @throws ItemFault if the value is unknown. */
export function chosenInterface(name: CredentialName, chosen: unknown): ChosenInterface {
	const choices = CHOICES[name];
	// The option keeps its value when Authentication changes: a value of the other credential means Automatic.
	const hasChosen = (values: readonly ChosenInterface[]): boolean => values.some((value) => value === chosen);
	if (!hasChosen(choices) && Object.values(CHOICES).some(hasChosen)) return 'automatic';
	return requireChoice(chosen, choices, 'Interface', ' in Options');
}

/** @param readInterface reads the option *Interface*. It is not called for operations that v2 does not offer. */
export const readChosenCredential = (
	name: CredentialName,
	data: ICredentialDataDecryptedObject,
	{ needsControl }: Pick<Operation<never>, 'needsControl'>,
	readInterface: () => ChosenInterface,
): ServiceCredential => (needsControl ? readControlCredential(name, data) : readCredential(name, data, readInterface()));

export const connectSettings = (credential: ServiceCredential, outboundNetwork?: OutboundNetwork): Omit<ConnectSettings, 'interface'> => ({
	baseUrl: credential.baseUrl,
	hostedUrl: credential.hostedUrl === '' ? undefined : credential.hostedUrl,
	token: credential.token === '' ? undefined : credential.token,
	authorization: credential.authorization === '' ? undefined : credential.authorization,
	headers: credential.headers,
	keepLinksOnBaseOrigin: credential.keepLinksOnBaseOrigin,
	rejectUnauthorized: credential.rejectUnauthorized,
	outboundNetwork,
});

/** Returns what `findServer` needs to find a self-hosted server. */
export const serverSettings = (credential: ServiceCredential, outboundNetwork?: OutboundNetwork): ServerSettings => ({
	...connectSettings(credential, outboundNetwork),
	engineUrl: credential.engineUrl,
	comfyUser: credential.comfyUser,
	wanted: credential.needsEngine ? 'engine' : 'any',
});

type ReadLimits = Pick<ConnectSettings, 'readBudgetMs' | 'limits'>;

/** Returns what `openPool` needs for a credential with `moreServers`. */
export const poolSettings = (credential: ServiceCredential, outboundNetwork?: OutboundNetwork, limits: ReadLimits = {}): PoolSettings => ({
	servers: serversOf(credential).map((server) => ({ ...serverSettings({ ...server, needsEngine: true }, outboundNetwork), ...limits })),
});

interface OpenOptions extends ReadLimits {
	signal?: AbortSignal;
	/** How long to wait for a server that does not answer. */
	contact?: ServerContact;
	/** How long to look for a server, in milliseconds, if there is no `contact`. */
	patienceMs?: number;
}

/** @throws what `connect`, `findServer` and `openPool` throw. */
export async function openConnection(
	credential: ServiceCredential,
	outboundNetwork: OutboundNetwork | undefined,
	{ signal, patienceMs, contact, ...readLimits }: OpenOptions,
): Promise<Connection> {
	if (credential.moreServers !== undefined) {
		const patience = patienceMs === undefined ? undefined : new ServerContact(patienceMs);
		return openPool({ ...poolSettings(credential, outboundNetwork, readLimits), contact: contact ?? patience });
	}
	const { interface: chosen } = credential;
	const limits = { ...readLimits, contact };
	const isUserToFind = chosen === 'engine' && credential.comfyUser !== undefined;
	if (chosen !== 'automatic' && !isUserToFind)
		return connect({ ...connectSettings(credential, outboundNetwork), ...limits, interface: chosen });
	const settings = serverSettings(isUserToFind ? { ...credential, needsEngine: true } : credential, outboundNetwork);
	const found = await findServer({ ...settings, ...limits }, { signal, patienceMs });
	return found.connection;
}

/** Returns the control of a connection that was opened for an operation with `needsControl`. */
export function serverControl<Control>({ control }: { control?: Control }): Control {
	if (control === undefined) throw new Error('v2 has no queue to control');
	return control;
}

/** Returns the connection as that of an engine. @throws ItemFault if it belongs to the hosted service or a deployment. */
export function requireEngine(connection: ServerConnection, task: ServerTask): EngineConnection {
	if (connection.interface !== 'engine') throw new ItemFault(messages.NEEDS_OWN_COMFYUI(task));
	return connection;
}
