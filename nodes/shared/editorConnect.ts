import type { ILoadOptionsFunctions } from 'n8n-workflow';

import type { Connection } from '../../client';
import { chosenInterface, credentialOf, egressOf, openWith } from './connect';
import type { CredentialName } from './credential';
import { wordsFor } from './messages';
import { nodeErrorFor } from './nodeErrors';
import type { Operation, ServiceCredential } from './operations';

/** Someone sits in front of the list, and can ask for it again. */
const QUICK = { readBudgetMs: 3_000, limits: { requestMs: 10_000 } };

/** While a node is being set up in the editor: does one thing with the service, then hangs up. What fails is told in words. */
export async function withService<T>(
	editor: ILoadOptionsFunctions,
	needs: Pick<Operation<never>, 'beyondV2'>,
	work: (connection: Connection, credential: ServiceCredential) => Promise<T>,
): Promise<T> {
	const name = editor.getCurrentNodeParameter('authentication') as CredentialName;
	const data = await editor.getCredentials(name);
	let credential: ServiceCredential | undefined;
	try {
		credential = credentialOf(name, data, needs, () => chosenInterface(name, editor.getCurrentNodeParameter('options.interface') ?? 'automatic'));
		const connection = await openWith(credential, egressOf(editor), { milliseconds: 0 }, QUICK);
		try {
			return await work(connection, credential);
		} finally {
			await connection.close();
		}
	} catch (error) {
		throw nodeErrorFor(editor, undefined, error, wordsFor(error, credential));
	}
}
