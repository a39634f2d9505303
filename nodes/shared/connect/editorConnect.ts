import type { ILoadOptionsFunctions } from 'n8n-workflow';

import type { Connection } from '../../../client';
import { openConnection } from './openConnection';
import { chosenInterface, chosenCredential } from './chosenCredential';
import { egressOf } from './egress';
import type { CredentialName, ServiceCredential } from '../credentials';
import { wordsFor } from '../messages/wordsFor';
import { nodeErrorFor } from '../nodeErrors';
import type { Operation } from '../operation';
import { logged } from '../debugLog';

/** Someone sits in front of the list, and can ask for it again. */
const QUICK = { readBudgetMs: 3_000, limits: { requestMs: 10_000 } };

type Needs = Pick<Operation<never>, 'needsControl'>;
type Work<T> = (connection: Connection, credential: ServiceCredential) => Promise<T>;

const chosenWay = (editor: ILoadOptionsFunctions, name: CredentialName) =>
	chosenInterface(name, editor.getCurrentNodeParameter('options.interface') ?? 'automatic');

/** What is chosen while a node is being set up. @throws where nothing is, or it does not fit. */
export async function editorCredential(editor: ILoadOptionsFunctions): Promise<ServiceCredential> {
	const name = editor.getCurrentNodeParameter('authentication') as CredentialName;
	return chosenCredential(name, await editor.getCredentials(name), {}, () => chosenWay(editor, name));
}

/** Does one thing with the service, then hangs up. */
export async function withCredential<T>(editor: ILoadOptionsFunctions, credential: ServiceCredential, work: Work<T>): Promise<T> {
	return await logged(editor, { credential }, async () => {
		const connection = await openConnection(credential, egressOf(editor), { ...QUICK, patienceMs: 0 });
		try {
			return await work(connection, credential);
		} finally {
			await connection.close();
		}
	});
}

/** While a node is being set up in the editor: does one thing with the service, and tells in words what fails. */
export async function withService<T>(editor: ILoadOptionsFunctions, needs: Needs, work: Work<T>): Promise<T> {
	const name = editor.getCurrentNodeParameter('authentication') as CredentialName;
	const data = await editor.getCredentials(name);
	let credential: ServiceCredential | undefined;
	try {
		credential = chosenCredential(name, data, needs, () => chosenWay(editor, name));
		return await withCredential(editor, credential, work);
	} catch (error) {
		throw nodeErrorFor(editor, error, wordsFor(error, credential));
	}
}
