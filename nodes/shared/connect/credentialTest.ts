import { Readable } from 'node:stream';

import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import {
	connect,
	ConnectionError,
	type DispatchRequest,
	type DispatchResponse,
	findServer,
	type FoundService,
	type HttpDispatcher,
	type OutboundNetwork,
} from '../../../client';
import { type NamedCredential, readCredential, readRouterCredential, type ServiceCredential } from '../credentials';
import { wordsFor } from '../explain/wordsFor';
import { inOneText, type Words } from '../messages/words';
import { connectSettings, serverSettings } from './openConnection';
import { testPool } from './poolTest';
import { ServerRecognition } from './recognizeServer';
import { openRouter } from './routerConnections';

/** The requests of a test have a signal that never fires. The client's own limits are shorter than this one. */
const TIMEOUT_MS = 60_000;

/** What n8n's helper returns for the options below. */
interface HelperResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body?: unknown;
}

/**
 * Sends requests through the only helper that n8n gives to credential tests, so that n8n's rules about reachable addresses
 * apply. The helper accepts no signal and does not report when it sends, so it is used for reads only.
 */
class HelperDispatcher implements HttpDispatcher {
	constructor(
		private readonly request: ICredentialTestFunctions['helpers']['request'],
		private readonly rejectUnauthorized: boolean,
	) {}

	async dispatch({ method, url, headers, body, anyCertificate }: DispatchRequest): Promise<DispatchResponse> {
		if (body !== undefined) throw new Error('A credential test only reads');
		const request = {
			method,
			uri: url.href,
			headers: { ...headers },
			followRedirect: false,
			simple: false,
			resolveWithFullResponse: true,
			useStream: true,
			timeout: TIMEOUT_MS,
			// n8n ignores the value of this property and looks only whether it exists, so it is omitted if certificates are checked.
			...((anyCertificate === true || !this.rejectUnauthorized) && { rejectUnauthorized: false }),
		};
		try {
			return toAnswer((await this.request(request)) as HelperResponse);
		} catch (error) {
			throw isBlockedByN8n(error) ? blockedError(url.origin, error) : error;
		}
	}

	async close(): Promise<void> {
		// n8n owns these connections.
	}
}

function toAnswer({ statusCode, headers, body }: HelperResponse): DispatchResponse {
	const lowerCased = Object.entries(headers).map(
		([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.map(String) : String(value)] as const,
	);
	return { status: statusCode, headers: Object.fromEntries(lowerCased), body: toStream(body) };
}

/** Older versions of n8n read the body of an error status themselves. */
function toStream(body: unknown): Readable {
	if (body instanceof Readable) return body;
	const bytes =
		typeof body === 'string' || body instanceof Uint8Array
			? Buffer.from(body)
			: Buffer.from(body === undefined ? '' : JSON.stringify(body));
	return Readable.from(bytes.byteLength === 0 ? [] : [bytes]);
}

/** The layers between may have wrapped n8n's error several times. */
function isBlockedByN8n(error: unknown): boolean {
	for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
		if (/^SsrfBlocked/.test(cause.name)) return true;
	}
	return false;
}

const blockedError = (origin: string, cause: unknown): ConnectionError =>
	new ConnectionError({ trouble: 'blocked', origin, mayHaveArrived: false, message: `n8n blocks ${origin}` }, { cause });

type CredentialTest = (this: ICredentialTestFunctions, credential: ICredentialsDecrypted) => Promise<INodeCredentialTestResult>;

/** The user waits in the dialog of the credential. */
const FIND_SERVER_MS = 3_000;

const testNetwork = ({ helpers }: ICredentialTestFunctions, { rejectUnauthorized }: NamedCredential): OutboundNetwork => ({
	dispatcher: new HelperDispatcher(helpers.request, rejectUnauthorized),
});

const failedTest = (words: Words): INodeCredentialTestResult => ({ status: 'Error', message: inOneText(words) });

/** @param verify may return a text to add to the message of success. */
async function testCredential(
	credential: NamedCredential,
	outboundNetwork: OutboundNetwork,
	verify: () => Promise<string | void>,
): Promise<INodeCredentialTestResult> {
	try {
		const details = await verify();
		return { status: 'OK', message: ['Connection successful', details].filter(Boolean).join(': ') };
	} catch (error) {
		return failedTest(wordsFor(await new ServerRecognition(outboundNetwork).addProduct(error, credential), credential));
	}
}

async function verifyAndClose(connection: { verifyAccess(): Promise<unknown>; close(): Promise<void> }): Promise<void> {
	try {
		await connection.verifyAccess();
	} finally {
		await connection.close();
	}
}

/** Requests a job that cannot exist: the service reports that it does not exist only if it accepts the key. */
const comfyApiTest: CredentialTest = async function ({ data }) {
	const credential = readCredential('comfyApi', data ?? {});
	const outboundNetwork = testNetwork(this, credential);
	return await testCredential(
		credential,
		outboundNetwork,
		async () => await verifyAndClose(connect({ ...connectSettings(credential, outboundNetwork), interface: 'v2' })),
	);
};

/** Returns the credential, or the result of the test if a field has a value that cannot be sent. */
function readSelfHosted(data: ICredentialDataDecryptedObject): ServiceCredential | INodeCredentialTestResult {
	try {
		return readCredential('comfySelfHostedApi', data);
	} catch (error) {
		return failedTest(wordsFor(error));
	}
}

const comfySelfHostedApiTest: CredentialTest = async function ({ data }) {
	const credential = readSelfHosted(data ?? {});
	if ('status' in credential) return credential;
	const outboundNetwork = testNetwork(this, credential);
	return await testCredential(credential, outboundNetwork, async () => {
		if (credential.moreServers !== undefined) return await testPool(credential, outboundNetwork, FIND_SERVER_MS);
		const { connection, service } = await findServer(serverSettings(credential, outboundNetwork), { patienceMs: FIND_SERVER_MS });
		await connection.close();
		return describeServer(service);
	});
};

const describeServer = ({ interface: name, version }: FoundService): string =>
	name === 'engine'
		? `ComfyUI${version === null ? '' : ` ${version}`} without the API proxy (Interface: Engine)`
		: 'the API proxy (Interface: v2)';

/** Reads the first model of the router's list. */
const comfyRouterJwtApiTest: CredentialTest = async function ({ data }) {
	const credential = readRouterCredential('comfyRouterJwtApi', data ?? {});
	const outboundNetwork = testNetwork(this, credential);
	return await testCredential(credential, outboundNetwork, async () => await verifyAndClose(openRouter(credential, outboundNetwork)));
};

/** The tests of all nodes that run jobs. */
export const credentialTest = {
	comfyApiTest,
	comfySelfHostedApiTest,
};

/** n8n runs the test of the first node that takes a credential, so each type has one test for all nodes. */
export const routerCredentialTest = {
	comfyApiTest,
	comfyRouterJwtApiTest,
};
