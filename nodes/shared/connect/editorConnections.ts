import type { ILoadOptionsFunctions } from 'n8n-workflow';

import type { Connection, ModelRouter } from '../../../client';
import {
	type CredentialName,
	readRouterCredential,
	type RouterCredential,
	type RouterCredentialName,
	type ServiceCredential,
} from '../credentials';
import { withDebugLog } from '../debugLog';
import { wordsFor } from '../explain/wordsFor';
import { nodeErrorFor } from '../nodeErrors';
import type { Operation } from '../operation';
import { chosenInterface, outboundNetworkOf, openConnection, readChosenCredential } from './openConnection';
import { openRouter } from './routerConnections';

/** Connections for lists and forms while a user edits a node: opened for one use, with short time limits because the user waits. */

const READ_BUDGET_MS = 3_000;
const REQUEST_LIMIT_MS = 10_000;

type UseConnection<T> = (connection: Connection, credential: ServiceCredential) => Promise<T>;

const editorCredentialName = (editor: ILoadOptionsFunctions) => editor.getCurrentNodeParameter('authentication') as CredentialName;

const editorInterface = (editor: ILoadOptionsFunctions, name: CredentialName) =>
	chosenInterface(name, editor.getCurrentNodeParameter('options.interface') ?? 'automatic');

/** Returns the credential that is chosen in the editor. @throws if none is chosen, or if it does not fit the interface. */
export async function editorCredential(editor: ILoadOptionsFunctions): Promise<ServiceCredential> {
	const name = editorCredentialName(editor);
	return readChosenCredential(name, await editor.getCredentials(name), {}, () => editorInterface(editor, name));
}

/** Opens a connection with this credential, uses it once and closes it. */
export async function withCredential<T>(editor: ILoadOptionsFunctions, credential: ServiceCredential, use: UseConnection<T>): Promise<T> {
	return await withDebugLog(editor, { credential }, async () => {
		const connection = await openConnection(credential, outboundNetworkOf(editor), {
			readBudgetMs: READ_BUDGET_MS,
			limits: { requestMs: REQUEST_LIMIT_MS },
			patienceMs: 0,
		});
		try {
			return await use(connection, credential);
		} finally {
			await connection.close();
		}
	});
}

/** Does the same with the credential that is chosen in the editor. @throws NodeError with our words if the use fails. */
export async function withService<T>(
	editor: ILoadOptionsFunctions,
	needs: Pick<Operation<never>, 'needsControl'>,
	use: UseConnection<T>,
): Promise<T> {
	const name = editorCredentialName(editor);
	const data = await editor.getCredentials(name);
	let credential: ServiceCredential | undefined;
	try {
		credential = readChosenCredential(name, data, needs, () => editorInterface(editor, name));
		return await withCredential(editor, credential, use);
	} catch (error) {
		throw nodeErrorFor(editor, error, wordsFor(error, credential));
	}
}

/** Opens a connection to the router, uses it once and closes it. @param onError turns an error into a result, or throws. */
export async function withRouter<T>(
	editor: ILoadOptionsFunctions,
	use: (router: ModelRouter) => Promise<T>,
	onError: (error: unknown, credential: RouterCredential) => T,
): Promise<T> {
	const name = editor.getCurrentNodeParameter('authentication') as RouterCredentialName;
	const credential = readRouterCredential(name, await editor.getCredentials(name));
	try {
		return await withDebugLog(editor, { credential }, async () => {
			const connection = openRouter(credential, outboundNetworkOf(editor), { readBudgetMs: READ_BUDGET_MS });
			try {
				return await use(connection.router);
			} finally {
				await connection.close();
			}
		});
	} catch (error) {
		return onError(error, credential);
	}
}
