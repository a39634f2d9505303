import { randomUUID } from 'node:crypto';

import type { ConnectSettings } from '../connection/connection';
import { createConnectionParts, type ConnectionParts } from '../connection/parts';
import { isRecord, recordOf } from '../json/decode';
import type { Product } from '../errors/errors';
import type { CallOptions } from '../ports/jobService';
import { outcomeOf } from '../async/outcome';
import type { HttpResponse } from '../transport/response';

/** Short, because the user has already waited for the failed request. */
const PROBE_LIMIT_MS = 3_000;

interface Trait {
	product: Product;
	path: string;
	matches(response: HttpResponse, json: unknown): boolean;
}

const errorEnvelope = (json: unknown): Record<string, unknown> => recordOf(recordOf(json).error);

const UNKNOWN_JOB = `/api/v2/jobs/${randomUUID()}`;

/** A response without a key that only this product gives. */
const TRAITS: readonly Trait[] = [
	{ product: 'proxy', path: UNKNOWN_JOB, matches: ({ status }, json) => status === 404 && typeof errorEnvelope(json).code === 'string' },
	{ product: 'service', path: UNKNOWN_JOB, matches: ({ status }, json) => status === 401 && errorEnvelope(json).code === 'unauthorized' },
	{
		product: 'comfyui',
		path: '/api/system_stats',
		matches: (_, json) => isRecord(json) && isRecord(json.system) && 'comfyui_version' in json.system,
	},
	{
		product: 'n8n',
		path: '/rest/settings',
		matches: (_, json) => isRecord(json) && isRecord(json.data) && isRecord(json.data.userManagement),
	},
	{ product: 'router', path: '/v2/models?limit=1', matches: (response) => response.vendorHeader('error-type') !== undefined },
];

/**
 * Finds out which product answers at an address that did not respond like the expected service. No key is sent.
 * @returns undefined for other products, and if nothing answers.
 */
export async function recognize(
	settings: Pick<ConnectSettings, 'baseUrl' | 'rejectUnauthorized' | 'outboundNetwork'>,
	{ signal }: CallOptions = {},
): Promise<Product | undefined> {
	const { baseUrl, rejectUnauthorized, outboundNetwork } = settings;
	const parts = createConnectionParts({ interface: 'engine', baseUrl, rejectUnauthorized, outboundNetwork });
	try {
		const products = await Promise.all(
			TRAITS.map(async (trait) => {
				const isMatch = await outcomeOf(hasTrait(parts, trait, signal));
				return isMatch.ok && isMatch.value ? trait.product : undefined;
			}),
		);
		return products.find((product) => product !== undefined);
	} finally {
		await parts.http.close();
	}
}

async function hasTrait({ http, address }: ConnectionParts, trait: Trait, signal: AbortSignal | undefined): Promise<boolean> {
	const url = new URL(`${address.origin}${address.prefix}${trait.path}`);
	const response = await http.request({ method: 'GET', url, signal, totalMs: PROBE_LIMIT_MS });
	const text = await response.text();
	return trait.matches(response, response.parseJson(text, { orElse: null }));
}
