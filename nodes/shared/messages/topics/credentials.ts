import { count, defineMessages } from '../words';

const CREDENTIAL = 'the Comfy Self-Hosted API credential';
const HEADERS = `Headers in ${CREDENTIAL}`;
/** With the switch that shows the fields. */
const SERVERS = `${CREDENTIAL} (under Several ComfyUIs)`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A server of a pool, as messages name it. */
export interface NamedServer {
	address: string;
	/** The field in which it is entered. */
	field: string;
}

/** A server that responds. The version is null if it does not report one. */
export type RespondingServer = NamedServer & { version: string | null };

const named = ({ address, field }: NamedServer): string => `${address} (${field})`;

const describe = ({ address, version }: RespondingServer): string => `${address} (${version === null ? 'ComfyUI' : `ComfyUI ${version}`})`;

const listServers = (servers: readonly RespondingServer[]): string => servers.map(describe).join(', ');

/** The fields of a credential, and the test of several servers. */
export const credentials = defineMessages({
	SIGN_IN_FIELD_EMPTY: (label: string) => [`${label} is empty`, `Enter ${label} in ${CREDENTIAL}, or set Sign-In to None.`],
	SIGN_IN_USER_COLON: () => ['User contains a colon', `Enter only the name under User in ${CREDENTIAL}, and the rest under Password.`],
	SIGN_IN_CONTROL_CHARACTER: (label: string) => [
		`${label} contains a line break or another control character`,
		`Enter ${label} again in ${CREDENTIAL}.`,
	],
	BEARER_WORD_IN_TOKEN: () => [
		'Bearer Token begins with the word "Bearer"',
		`Enter only the token under Bearer Token in ${CREDENTIAL}. The node adds the word.`,
	],
	BEARER_TOKEN_NOT_VALID: () => [
		'Bearer Token contains a space, a line break or a character that a header cannot contain',
		`Enter the token again under Bearer Token in ${CREDENTIAL}.`,
	],
	HEADER_NAME_EMPTY: (row: number) => [
		`Headers: row ${row} has no name`,
		`Enter the name of the header, or remove this row of ${HEADERS}.`,
	],
	HEADER_NAME_NOT_VALID: (row: number) => [
		`Headers: the name in row ${row} contains a character that the name of a header cannot contain`,
		`Enter only the name, without colon, space or line break, in row ${row} of ${HEADERS}.`,
	],
	HEADER_RESERVED: (name: string, row: number) => [
		`Headers: the node sets the header "${name}" itself`,
		`Remove row ${row} of ${HEADERS}.`,
	],
	HEADER_VALUE_EMPTY: (name: string, row: number) => [
		`Headers: the header "${name}" has no value`,
		`Enter its value in row ${row} of ${HEADERS}.`,
	],
	HEADER_VALUE_NOT_VALID: (name: string, row: number) => [
		`Headers: the value of "${name}" contains a line break or another character that a header cannot contain`,
		`Enter the value again in row ${row} of ${HEADERS}.`,
	],
	HEADER_TWICE: (name: string) => [
		`Headers contains the header "${name}" twice`,
		`Remove one of the rows in ${CREDENTIAL}. Upper and lower case mean the same header.`,
	],
	AUTHORIZATION_TWICE: (option: string, other: string, change: string) => [
		`${option} (Sign-In) and ${other} (More Settings) both set the header Authorization`,
		`In ${CREDENTIAL}, clear ${other}, or ${change}.`,
	],
	POOL_NEEDS_ENGINE: () => [
		'Interface is v2, but the credential contains several ComfyUIs, which do not use the API proxy',
		`Set Interface in Options to Automatic or Engine, or turn off Several ComfyUIs in ${CREDENTIAL}.`,
	],
	POOL_ADDRESS_WITH_LOGIN: (field: string) => [
		`${capital(field)} contains a user or a password`,
		`Enter the address without them. Enter User and Password in a row of Servers With Own Sign-In in ${SERVERS}.`,
	],
	POOL_ADDRESS_NOT_VALID: (field: string) => [
		`${capital(field)} is not a valid address`,
		`Enter ${field} in ${SERVERS} in the form http://host:port, also instead of ws://. Enter one address in each line or row.`,
	],
	POOL_ADDRESS_EMPTY: (field: string) => [
		`${capital(field)} has no address`,
		`Enter Address in ${field} in ${SERVERS}, or remove the row.`,
	],
	POOL_SIGN_IN_TWICE: (field: string) => [
		`${capital(field)} contains a user or a password, and a Bearer Token`,
		`In ${field} in ${SERVERS}, clear Bearer Token, or clear User and Password.`,
	],
	POOL_SIGN_IN_NOT_VALID: (field: string, reason: string) => [`${capital(field)}: ${reason}`, `Correct ${field} in ${SERVERS}.`],
	POOL_ADDRESS_TWICE: ({ address, field }: NamedServer, again: NamedServer) => [
		`${address} is entered twice: in ${field} and in ${again.field}`,
		`Remove one of them in ${CREDENTIAL}. Enter each ComfyUI only once.`,
	],
	POOL_SERVER_TWICE: (one: NamedServer, other: NamedServer) => [
		`${named(one)} and ${named(other)} are the same ComfyUI`,
		`Remove one of them in ${CREDENTIAL}. Both addresses report the same version, devices and latest jobs.`,
	],
	/** @param reasons why each failed server cannot be used. */
	POOL_SERVERS_FAILED: (reasons: Array<NamedServer & { reason: string }>, responding: readonly RespondingServer[]) => [
		`${reasons.length} of ${reasons.length + responding.length} servers cannot be used`,
		[
			...reasons.map((server) => `${named(server)}: ${server.reason}`.replace(/\.?$/, '.')),
			responding.length === 0 ? 'No server responds.' : `These servers respond: ${listServers(responding)}.`,
		].join(' '),
	],
	CREDENTIAL_NOT_CHOSEN: () => [
		'No credential is chosen',
		'Choose a credential at the top of the node: the node needs it to read the workflow from ComfyUI.',
	],
});

const DIFFERENT_VERSIONS = '. Their versions differ, so the same workflow can give different results. Use the same version on all servers';

/** Returns the result of a test in which all servers respond. */
export const allRespond = (servers: readonly RespondingServer[]): string =>
	`${count(servers.length, 'server responds', 'servers respond')}: ${listServers(servers)}${new Set(servers.map(({ version }) => version)).size === 1 ? '' : DIFFERENT_VERSIONS}`;
