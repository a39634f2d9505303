import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { parseBaseUrl, withScheme } from '../../client';
import { ItemFault } from './itemFault';
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

const CREDENTIAL = 'the Comfy Self-Hosted API credential (under Several ComfyUIs)';

const capitalized = (field: ServerField): string => field.charAt(0).toUpperCase() + field.slice(1);

/** A wrong address may contain a password. It is therefore not quoted. */
function checkAddress(address: string, field: ServerField): void {
	try {
		parseBaseUrl(address);
	} catch {
		throw address.includes('@')
			? new ItemFault(
					`${capitalized(field)} contains a user or a password`,
					`Enter the address without them. Enter User and Password in a row of Servers With Own Sign-In in ${CREDENTIAL}.`,
				)
			: new ItemFault(
					`${capitalized(field)} is not a valid address`,
					`Enter ${field} in ${CREDENTIAL} in the form http://host:port, also instead of ws://. Enter one address in each line or row.`,
				);
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
	if (hasLogin && bearerToken !== '')
		throw new ItemFault(
			`${capitalized(field)} contains a user or a password, and a Bearer Token`,
			`In ${field} in ${CREDENTIAL}, clear Bearer Token, or clear User and Password.`,
		);
	const withoutToken = hasLogin ? 'basic' : 'none';
	try {
		return readSignIn({ signIn: bearerToken === '' ? withoutToken : 'bearer', user, password, bearerToken }).headers;
	} catch (error) {
		throw error instanceof ItemFault
			? new ItemFault(`${capitalized(field)}: ${error.message}`, `Correct ${field} in ${CREDENTIAL}.`)
			: error;
	}
}

function serversInRows(collection: unknown): MoreServer[] {
	return readRows(collection).flatMap((values, index) => {
		const row = toRow(values);
		if (Object.values(row).every((value) => value === '')) return [];
		const field = `row ${index + 1} of Servers With Own Sign-In` as const;
		if (row.address === '')
			throw new ItemFault(`${capitalized(field)} has no address`, `Enter Address in ${field} in ${CREDENTIAL}, or remove the row.`);
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
