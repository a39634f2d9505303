import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ItemFault, requireChoice } from './itemFault';

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

const emptyField = (label: string): ItemFault =>
	new ItemFault(`${label} is empty`, `Enter ${label} in ${CREDENTIAL}, or set Sign-In to None.`);

function basicSignIn(data: ICredentialDataDecryptedObject): SignIn {
	// A password may begin or end with a space.
	const [user, password] = [textOf(data.user).trim(), textOf(data.password)];
	if (user === '') throw emptyField('User');
	if (user.includes(':'))
		throw new ItemFault('User contains a colon', `Enter only the name under User in ${CREDENTIAL}, and the rest under Password.`);
	for (const [label, value] of [
		['User', user],
		['Password', password],
	] as const) {
		if (CONTROL.test(value))
			throw new ItemFault(`${label} contains a line break or another control character`, `Enter ${label} again in ${CREDENTIAL}.`);
	}
	return {
		label: 'User and Password',
		headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}` },
	};
}

function bearerSignIn(data: ICredentialDataDecryptedObject): SignIn {
	const token = textOf(data.bearerToken).trim();
	if (token === '') throw emptyField('Bearer Token');
	if (/^Bearer\s/i.test(token))
		throw new ItemFault(
			'Bearer Token begins with the word "Bearer"',
			`Enter only the token under Bearer Token in ${CREDENTIAL}. The node adds the word.`,
		);
	if (!/^[\x21-\x7e]+$/.test(token))
		throw new ItemFault(
			'Bearer Token contains a space, a line break or a character that a header cannot contain',
			`Enter the token again under Bearer Token in ${CREDENTIAL}.`,
		);
	return { label: 'Bearer Token', headers: { authorization: `Bearer ${token}` } };
}

/** A name with a mistake may contain the secret, for example in a pasted `Name: value`. It is therefore not quoted. */
function checkRow({ name, value }: { name: string; value: string }, row: number): void {
	const at = `Headers in ${CREDENTIAL}`;
	if (name === '') throw new ItemFault(`Headers: row ${row} has no name`, `Enter the name of the header, or remove this row of ${at}.`);
	if (!HEADER_NAME.test(name))
		throw new ItemFault(
			`Headers: the name in row ${row} contains a character that the name of a header cannot contain`,
			`Enter only the name, without colon, space or line break, in row ${row} of ${at}.`,
		);
	if (isReserved(name.toLowerCase()))
		throw new ItemFault(`Headers: the node sets the header "${name}" itself`, `Remove row ${row} of ${at}.`);
	if (value === '') throw new ItemFault(`Headers: the header "${name}" has no value`, `Enter its value in row ${row} of ${at}.`);
	if (!HEADER_VALUE.test(value))
		throw new ItemFault(
			`Headers: the value of "${name}" contains a line break or another character that a header cannot contain`,
			`Enter the value again in row ${row} of ${at}.`,
		);
}

function headersSignIn(data: ICredentialDataDecryptedObject): SignIn {
	const headers: Record<string, string> = {};
	for (const [index, { name: enteredName, value }] of readRows(data.headers).entries()) {
		const row = { name: textOf(enteredName).trim(), value: textOf(value).trim() };
		if (row.name === '' && row.value === '') continue;
		checkRow(row, index + 1);
		const name = row.name.toLowerCase();
		if (Object.hasOwn(headers, name))
			throw new ItemFault(
				`Headers contains the header "${row.name}" twice`,
				`Remove one of the rows in ${CREDENTIAL}. Upper and lower case mean the same header.`,
			);
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
const AUTHORIZATION_FIELDS = { token: 'Token', engineAuthorizationSecret: 'Engine Authorization' } as const;

/** The option of *Sign-In* that shows these fields. */
const optionOf = (label: NonNullable<SignIn['label']>): string => (label === 'User and Password' ? 'User And Password' : label);

function rejectSecondAuthorization(data: ICredentialDataDecryptedObject, label: NonNullable<SignIn['label']>): void {
	for (const [name, other] of Object.entries(AUTHORIZATION_FIELDS)) {
		if (textOf(data[name]).trim() === '') continue;
		const change = label === 'Headers' ? 'remove the header Authorization from Headers' : 'set Sign-In to None';
		throw new ItemFault(
			`${optionOf(label)} (Sign-In) and ${other} (More Settings) both set the header Authorization`,
			`In ${CREDENTIAL}, clear ${other}, or ${change}.`,
		);
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
