import { createHmac, randomBytes, randomUUID } from 'node:crypto';

import type { ServiceAddress } from './address';
import type { ConnectSettings } from './connection';
import { systemProxyFor } from './transport/systemProxy';

/** Of this process alone and kept nowhere, so that an identity says nothing of the key in it. */
const SECRET = randomBytes(32);

/**
 * The same for connections that see the same jobs by the same way: interface, address, credential, proxy, certificates
 * and egress rules. One with a carrier of its own is like no other.
 */
export function identityOf(settings: ConnectSettings, { origin, prefix }: ServiceAddress, key: string): string {
	const { interface: name, authorization = '', keepLinksOnBaseOrigin = false, rejectUnauthorized = true, egress = {} } = settings;
	if (egress.carrier !== undefined) return randomUUID();
	const isGuarded = egress.lookup !== undefined || egress.validateUrl !== undefined;
	const facts = [name, origin, prefix, key, authorization, keepLinksOnBaseOrigin, rejectUnauthorized, isGuarded, proxyOf(origin)];
	return createHmac('sha256', SECRET).update(JSON.stringify(facts)).digest('base64');
}

/** An unusable one is told by the first request. */
function proxyOf(origin: string): string {
	try {
		return systemProxyFor(new URL(origin)) ?? '';
	} catch {
		return 'unusable';
	}
}
