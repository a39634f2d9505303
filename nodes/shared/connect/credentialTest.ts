import type { ICredentialsDecrypted, ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow';

import { connect, type FoundService, findServer, type OutboundNetwork } from '../../../client';
import { accessOf, serverSettings } from './openConnection';
import { readCredential, type NamedCredential, readRouterCredential } from '../credentials';
import { HelperCarrier, type HelperCarrierOptions } from './helperCarrier';
import { wordsFor } from '../messages/wordsFor';
import { Recognition } from './recognition';
import { linkTo } from './routerConnect';

type CredentialTest = (this: ICredentialTestFunctions, credential: ICredentialsDecrypted) => Promise<INodeCredentialTestResult>;

/** In time for whoever waits in the dialog. */
const PATIENCE_MS = 3_000;

/** By what n8n gives to tests: a socket of our own would pass its rules on addresses by. */
const helperEgress = ({ helpers }: ICredentialTestFunctions, options: HelperCarrierOptions): OutboundNetwork => ({
	dispatcher: new HelperCarrier(helpers.request, options),
});

/** @param verify returns what there is to say of a success, if anything. */
async function resultOf(
	credential: NamedCredential,
	egress: OutboundNetwork,
	verify: () => Promise<string | void>,
): Promise<INodeCredentialTestResult> {
	try {
		const found = await verify();
		return { status: 'OK', message: ['Connection successful', found].filter(Boolean).join(': ') };
	} catch (error) {
		const { message, advice } = wordsFor(await new Recognition(egress).of(error, credential), credential);
		return { status: 'Error', message: [message, advice].filter(Boolean).join('. ') };
	}
}

async function closing<Link extends { close(): Promise<void> }, T>(link: Link, use: (link: Link) => Promise<T>): Promise<T> {
	try {
		return await use(link);
	} finally {
		await link.close();
	}
}

const comfyApiTest: CredentialTest = async function ({ data }) {
	const credential = readCredential('comfyApi', data ?? {});
	const egress = helperEgress(this, credential);
	return await resultOf(credential, egress, async () => {
		const link = connect({ ...accessOf(credential, egress), interface: 'v2' });
		await closing(link, async () => void (await link.verifyAccess()));
	});
};

/** Of a server of one's own it is worth knowing what it is. */
const comfySelfHostedApiTest: CredentialTest = async function ({ data }) {
	const credential = readCredential('comfySelfHostedApi', data ?? {});
	const egress = helperEgress(this, credential);
	return await resultOf(credential, egress, async () => {
		const { connection, service } = await findServer(serverSettings(credential, egress), { patienceMs: PATIENCE_MS });
		await connection.close();
		return described(service);
	});
};

const described = ({ interface: name, version }: FoundService): string =>
	name === 'engine'
		? `ComfyUI${version === null ? '' : ` ${version}`}, without the proxy (Interface: Engine)`
		: 'the API proxy (Interface: v2)';

/** Asks the router for the first of its models. */
const comfyRouterJwtApiTest: CredentialTest = async function ({ data }) {
	const credential = readRouterCredential('comfyRouterJwtApi', data ?? {});
	const egress = helperEgress(this, credential);
	return await resultOf(
		credential,
		egress,
		async () => await closing(linkTo(credential, egress), async (link) => await link.verifyAccess()),
	);
};

/** Asks for a job that cannot exist: only a good key gets to hear that it does not. Shared by all nodes of jobs. */
export const credentialTest = {
	comfyApiTest,
	comfySelfHostedApiTest,
};

/** n8n runs the test of the first node it meets that takes a credential, so there is one for each type. */
export const routerCredentialTest = {
	comfyApiTest,
	comfyRouterJwtApiTest,
};
