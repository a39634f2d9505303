import type { ICredentialsDecrypted, ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow';

import { verifyAccess } from '../../client';
import { connectWith } from './connect';
import { type CredentialName, readCredential } from './credential';
import { wordsFor } from './messages';
import type { NamedCredential } from './operations';
import { linkTo } from './routerConnect';
import { readRouterCredential } from './routerCredential';

type CredentialTest = (this: ICredentialTestFunctions, credential: ICredentialsDecrypted) => Promise<INodeCredentialTestResult>;

async function resultOf(credential: NamedCredential, verify: () => Promise<void>): Promise<INodeCredentialTestResult> {
	try {
		await verify();
		return { status: 'OK', message: 'Connection successful' };
	} catch (error) {
		const { message, advice } = wordsFor(error, credential);
		return { status: 'Error', message: [message, advice].filter(Boolean).join('. ') };
	}
}

async function closing<Link extends { close(): Promise<void> }>(link: Link, use: (link: Link) => Promise<void>): Promise<void> {
	try {
		await use(link);
	} finally {
		await link.close();
	}
}

const testFor = (name: CredentialName): CredentialTest =>
	async function ({ data }) {
		const credential = readCredential(name, data ?? {});
		return await resultOf(credential, async () => await closing(connectWith(credential), verifyAccess));
	};

/** Asks the router for the first of its models. */
const comfyRouterJwtApiTest: CredentialTest = async function ({ data }) {
	const credential = readRouterCredential('comfyRouterJwtApi', data ?? {});
	return await resultOf(credential, async () => await closing(linkTo(credential), async (link) => await link.verifyAccess()));
};

/** Asks for a job that cannot exist: only a good key gets to hear that it does not. Shared by all nodes of jobs. */
export const credentialTest = {
	comfyApiTest: testFor('comfyApi'),
	comfySelfHostedApiTest: testFor('comfySelfHostedApi'),
};

/** n8n runs the test of the first node it meets that takes a credential, so there is one for each type. */
export const routerCredentialTest = {
	comfyApiTest: credentialTest.comfyApiTest,
	comfyRouterJwtApiTest,
};
