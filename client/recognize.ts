import { randomUUID } from 'node:crypto';

import type { ConnectSettings } from './connection';
import type { Product } from './errors';
import { connectionParts, type ConnectionParts } from './connectionParts';
import { isRecord } from './decode';
import type { CallOptions } from './ports';
import { outcomeOf } from './transport/outcome';
import type { HttpResponse } from './transport/response';

/** Whoever waits has waited already. */
const WITHIN_MS = 3_000;

interface Trait {
	product: Product;
	path: string;
	isShown(response: HttpResponse, json: unknown): boolean;
}

const envelopeOf = (json: unknown): Record<string, unknown> => (isRecord(json) && isRecord(json.error) ? json.error : {});

const JOB = `/api/v2/jobs/${randomUUID()}`;

/** What each of them alone answers to whoever has no key. */
const TRAITS: readonly Trait[] = [
	{ product: 'proxy', path: JOB, isShown: ({ status }, json) => status === 404 && typeof envelopeOf(json).code === 'string' },
	{ product: 'service', path: JOB, isShown: ({ status }, json) => status === 401 && envelopeOf(json).code === 'unauthorized' },
	{
		product: 'comfyui',
		path: '/api/system_stats',
		isShown: (_, json) => isRecord(json) && isRecord(json.system) && 'comfyui_version' in json.system,
	},
	{
		product: 'n8n',
		path: '/rest/settings',
		isShown: (_, json) => isRecord(json) && isRecord(json.data) && isRecord(json.data.userManagement),
	},
	{ product: 'router', path: '/v2/models?limit=1', isShown: (response) => response.vendorHeader('error-type') !== undefined },
];

/**
 * Asks what stands at an address that does not answer as the service that was expected there. No key is sent.
 * @returns undefined for what nobody could take for one of these, and where nothing answers.
 */
export async function recognize(
	settings: Pick<ConnectSettings, 'baseUrl' | 'rejectUnauthorized' | 'egress'>,
	{ signal }: CallOptions = {},
): Promise<Product | undefined> {
	const { baseUrl, rejectUnauthorized, egress } = settings;
	const parts = connectionParts({ interface: 'engine', baseUrl, rejectUnauthorized, egress });
	try {
		const shown = await Promise.all(TRAITS.map(async (trait) => await outcomeOf(isShown(parts, trait, signal))));
		return TRAITS.find((_, index) => shown[index]?.ok === true && shown[index].value)?.product;
	} finally {
		await parts.http.close();
	}
}

async function isShown(
	{ http, address: { origin, prefix } }: ConnectionParts,
	{ path, isShown: test }: Trait,
	signal: AbortSignal | undefined,
): Promise<boolean> {
	const response = await http.request({ method: 'GET', url: new URL(`${origin}${prefix}${path}`), signal, totalMs: WITHIN_MS });
	const text = await response.text();
	return test(response, response.parseJson(text, { orElse: null }));
}
