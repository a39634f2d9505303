import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { parseBaseUrl, withScheme } from '../../client';
import { ItemFault } from './itemFault';
import { messages } from './messages/catalogue';
import { readRows, readSignIn, type SignIn, textOf } from './signIn';

/** The position in the form, as messages name it. */
type ServerField = `line ${number} of More Servers` | `row ${number} of Servers With Own Sign-In`;

/** A server of a pool in addition to the first one. */
export interface MoreServer {
	address: string;
	field: ServerField;
	/** The complete Authorization header. Empty if there is none. */
	authorization: string;
	/** More headers, names in lower case. All values are secrets. */
	headers: Record<string, string>;
	/** Where its sign-in is entered. */
	signInLabel?: SignIn['label'] | ServerField;
}

/** The sign-in of the first server. */
type SharedSignIn = Pick<MoreServer, 'authorization' | 'headers' | 'signInLabel'>;

/** A wrong address may contain a password. It is therefore not quoted. */
const addressFault = (address: string, field: ServerField): ItemFault =>
	new ItemFault(address.includes('@') ? messages.POOL_ADDRESS_WITH_LOGIN(field) : messages.POOL_ADDRESS_NOT_VALID(field));

function checkAddress(address: string, field: ServerField): void {
	try {
		parseBaseUrl(address);
	} catch {
		throw addressFault(address, field);
	}
}

function serversInLines(text: string, shared: SharedSignIn): MoreServer[] {
	return text.split(/\r\n|\r|\n/).flatMap((line, index) => {
		const address = withScheme(line, 'http');
		if (address === '') return [];
		const field = `line ${index + 1} of More Servers` as const;
		checkAddress(address, field);
		return [{ address, field, ...shared }];
	});
}

type Row = Record<'address' | 'user' | 'password' | 'bearerToken', string>;

const toRow = ({ address, user, password, bearerToken }: Record<string, unknown>): Row => ({
	address: textOf(address).trim(),
	user: textOf(user).trim(),
	// A password may begin or end with a space.
	password: textOf(password),
	bearerToken: textOf(bearerToken).trim(),
});

/** Returns the headers of the sign-in in a row. @throws ItemFault for values that cannot be sent. */
function readRowSignIn({ user, password, bearerToken }: Row, field: ServerField): Record<string, string> {
	const hasLogin = user !== '' || password !== '';
	if (hasLogin && bearerToken !== '') throw new ItemFault(messages.POOL_SIGN_IN_TWICE(field));
	const withoutToken = hasLogin ? 'basic' : 'none';
	try {
		return readSignIn({ signIn: bearerToken === '' ? withoutToken : 'bearer', user, password, bearerToken }).headers;
	} catch (error) {
		throw error instanceof ItemFault ? new ItemFault(messages.POOL_SIGN_IN_NOT_VALID(field, error.message)) : error;
	}
}

function serversInRows(collection: unknown): MoreServer[] {
	return readRows(collection).flatMap((values, index) => {
		const row = toRow(values);
		if (Object.values(row).every((value) => value === '')) return [];
		const field = `row ${index + 1} of Servers With Own Sign-In` as const;
		if (row.address === '') throw new ItemFault(messages.POOL_ADDRESS_EMPTY(field));
		const address = withScheme(row.address, 'http');
		checkAddress(address, field);
		return [{ address, field, authorization: '', headers: readRowSignIn(row, field), signInLabel: field }];
	});
}

/**
 * Reads the fields *More Servers* and *Servers With Own Sign-In*. The same server may occur more than once.
 * @param shared the sign-in of the first server.
 * @returns undefined if no server is entered.
 * @throws ItemFault for an address that is not valid, and for a sign-in that cannot be sent.
 */
export function readMoreServers(data: ICredentialDataDecryptedObject, shared: SharedSignIn): MoreServer[] | undefined {
	const servers = [...serversInLines(textOf(data.moreServers), shared), ...serversInRows(data.serversWithSignIn)];
	return servers.length === 0 ? undefined : servers;
}
