import type { ICredentialsDecrypted, ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow';

import { verifyAccess } from '../../client';
import { connectWith } from './connect';
import { type CredentialName, readCredential } from './credential';
import { wordsFor } from './messages';

const testFor = (name: CredentialName) =>
	async function (this: ICredentialTestFunctions, { data }: ICredentialsDecrypted): Promise<INodeCredentialTestResult> {
		const credential = readCredential(name, data ?? {});
		try {
			const connection = connectWith(credential);
			try {
				await verifyAccess(connection);
			} finally {
				await connection.close();
			}
			return { status: 'OK', message: 'Connection successful' };
		} catch (error) {
			const { message, advice } = wordsFor(error, credential);
			return { status: 'Error', message: [message, advice].filter(Boolean).join('. ') };
		}
	};

/** Asks for a job that cannot exist: only a good key gets to hear that it does not. Shared by all nodes. */
export const credentialTest = {
	comfyApiTest: testFor('comfyApi'),
	comfySelfHostedApiTest: testFor('comfySelfHostedApi'),
};
