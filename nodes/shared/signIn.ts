import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ItemFault, requireChoice } from './itemFault';
import { messages } from './messages/catalogue';

/** What the field *Sign-In* of a self-hosted credential adds to the connection. */
export interface SignIn {
	/** The labels of the fields to check, for messages. Undefined if no header is sent. */
	label?: 'User and Password' | 'Bearer Token' | 'Headers';
	/** Names in lower case. All values are secrets. */
	headers: Record<string, string>;
	/** The name or id of a user of ComfyUI. */
	comfyUser?: string;
}

const CREDENTIAL = 'the Comfy Self-Hosted API credential';

/** Headers that the nodes or the connection set themselves. A second value breaks the request. */
const RESERVED: ReadonlySet<string> = new Set([
	'accept',
	'accept-encoding',
	'connection',
	'content-encoding',
	'content-length',
	'content-type',
	'expect',
	'host',
	'idempotency-key',
	'if-range',
	'keep-alive',
	'proxy-authenticate',
	'proxy-authorization',
	'proxy-connection',
	'range',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
]);
const isReserved = (name: string): boolean => RESERVED.has(name) || name.startsWith('sec-websocket-');

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the rows of a collection field. n8n passes a single row as an object if it was not saved in a list. */
export function readRows(collection: unknown): Array<Record<string, unknown>> {
	const values = (collection as { values?: unknown } | undefined)?.values;
	const rows = Array.isArray(values) ? (values as unknown[]) : [values];
	return rows.map((row) => (row ?? {}) as Record<string, unknown>);
}

const emptyField = (label: string): ItemFault => new ItemFault(messages.SIGN_IN_FIELD_EMPTY(label));

function basicSignIn(data: ICredentialDataDecryptedObject): SignIn {
	// A password may begin or end with a space.
	const [user, password] = [textOf(data.user).trim(), textOf(data.password)];
	if (user === '') throw emptyField('User');
	if (user.includes(':')) throw new ItemFault(messages.SIGN_IN_USER_COLON());
	for (const [label, value] of [
		['User', user],
		['Password', password],
	] as const) {
		if (CONTROL.test(value)) throw new ItemFault(messages.SIGN_IN_CONTROL_CHARACTER(label));
	}
	return {
		label: 'User and Password',
		headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}` },
	};
}

function bearerSignIn(data: ICredentialDataDecryptedObject): SignIn {
	const token = textOf(data.bearerToken).trim();
	if (token === '') throw emptyField('Bearer Token');
	if (/^Bearer\s/i.test(token)) throw new ItemFault(messages.BEARER_WORD_IN_TOKEN());
	if (!/^[\x21-\x7e]+$/.test(token)) throw new ItemFault(messages.BEARER_TOKEN_NOT_VALID());
	return { label: 'Bearer Token', headers: { authorization: `Bearer ${token}` } };
}

/** A name with a mistake may contain the secret, for example in a pasted `Name: value`. It is therefore not quoted. */
function checkRow({ name, value }: { name: string; value: string }, row: number): void {
	if (name === '') throw new ItemFault(messages.HEADER_NAME_EMPTY(row));
	if (!HEADER_NAME.test(name)) throw new ItemFault(messages.HEADER_NAME_NOT_VALID(row));
	if (isReserved(name.toLowerCase())) throw new ItemFault(messages.HEADER_RESERVED(name, row));
	if (value === '') throw new ItemFault(messages.HEADER_VALUE_EMPTY(name, row));
	if (!HEADER_VALUE.test(value)) throw new ItemFault(messages.HEADER_VALUE_NOT_VALID(name, row));
}

function headersSignIn(data: ICredentialDataDecryptedObject): SignIn {
	const headers: Record<string, string> = {};
	for (const [index, { name: enteredName, value }] of readRows(data.headers).entries()) {
		const row = { name: textOf(enteredName).trim(), value: textOf(value).trim() };
		if (row.name === '' && row.value === '') continue;
		checkRow(row, index + 1);
		const name = row.name.toLowerCase();
		if (Object.hasOwn(headers, name)) throw new ItemFault(messages.HEADER_TWICE(row.name));
		headers[name] = row.value;
	}
	if (Object.keys(headers).length === 0) throw emptyField('Headers');
	return { label: 'Headers', headers };
}

function comfyUserSignIn(data: ICredentialDataDecryptedObject): SignIn {
	const comfyUser = textOf(data.comfyUser).trim();
	if (comfyUser === '') throw emptyField('ComfyUI User');
	return { headers: {}, comfyUser };
}

const CHOICES = ['none', 'basic', 'bearer', 'headers', 'comfyUser'] as const;

const readers: Record<(typeof CHOICES)[number], (data: ICredentialDataDecryptedObject) => SignIn> = {
	none: () => ({ headers: {} }),
	basic: basicSignIn,
	bearer: bearerSignIn,
	headers: headersSignIn,
	comfyUser: comfyUserSignIn,
};

/** The older fields that set the header Authorization as well. */
const AUTHORIZATION_FIELDS = { token: 'Token', engineAuthorizationSecret: 'ComfyUI Authorization' } as const;

/** The option of *Sign-In* that shows these fields. */
const optionOf = (label: NonNullable<SignIn['label']>): string => (label === 'User and Password' ? 'User And Password' : label);

function rejectSecondAuthorization(data: ICredentialDataDecryptedObject, label: NonNullable<SignIn['label']>): void {
	for (const [name, other] of Object.entries(AUTHORIZATION_FIELDS)) {
		if (textOf(data[name]).trim() === '') continue;
		const change = label === 'Headers' ? 'remove the header Authorization from Headers' : 'set Sign-In to None';
		throw new ItemFault(messages.AUTHORIZATION_TWICE(optionOf(label), other, change));
	}
}

/**
 * Reads the field *Sign-In* and the fields that it shows. Credentials that were saved without this field have no sign-in.
 * @throws ItemFault for a value that cannot be sent, and if an older field sets the same header.
 */
export function readSignIn(data: ICredentialDataDecryptedObject): SignIn {
	const chosen = requireChoice(textOf(data.signIn) || 'none', CHOICES, 'Sign-In', ` in ${CREDENTIAL}`);
	const signIn = readers[chosen](data);
	if (signIn.label !== undefined && 'authorization' in signIn.headers) rejectSecondAuthorization(data, signIn.label);
	return signIn;
}
