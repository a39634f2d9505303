import type { ICredentialsDecrypted, ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow';

import { verifyAccess } from '../../client';
import { connectWith } from './connect';
import { type CredentialName, readCredential } from './credential';
import { wordsFor } from './messages';
import type { NamedCredential } from './operations';
import { linkTo } from './routerConnect';
import { readRouterCredential, type RouterCredentialName } from './routerCredential';

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

const routerTestFor = (name: RouterCredentialName): CredentialTest =>
	async function ({ data }) {
		const credential = readRouterCredential(name, data ?? {});
		return await resultOf(credential, async () => await closing(linkTo(credential), async (link) => await link.verifyAccess()));
	};

/** Asks for a job that cannot exist: only a good key gets to hear that it does not. Shared by all nodes of jobs. */
export const credentialTest = {
	comfyApiTest: testFor('comfyApi'),
	comfySelfHostedApiTest: testFor('comfySelfHostedApi'),
};

/** Asks the router for the first of its models. */
export const routerCredentialTest = {
	comfyApiRouterTest: routerTestFor('comfyApi'),
	comfyRouterJwtApiTest: routerTestFor('comfyRouterJwtApi'),
};
