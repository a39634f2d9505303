import type { OutboundNetwork } from '../../../client';

/** What n8n 2.29 and later offer to clients with a transport of their own; older types do not know it. */
interface EgressHelpers {
	getSecureEgressFilter?: () => {
		validateUrl(url: URL): Promise<{ ok: true } | { ok: false; error: Error }>;
		createSecureLookup(): NonNullable<OutboundNetwork['lookup']>;
	};
}

/** n8n's own rules on which addresses may be reached. */
export function egressOf(execution: { helpers: object }): OutboundNetwork | undefined {
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
