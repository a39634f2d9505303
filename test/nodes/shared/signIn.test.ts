import {
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INode,
	type INodeTypes,
	type IWorkflowDataProxyAdditionalKeys,
	Workflow,
} from 'n8n-workflow';

import { ComfySelfHostedApi } from '../../../credentials/ComfySelfHostedApi.credentials';
import { signInFields } from '../../../credentials/signInFields';
import { connectSettings } from '../../../nodes/shared/connect/openConnection';
import { readControlCredential, readCredential } from '../../../nodes/shared/credentials';
import { asHandedOn } from '../support/credentials';
import { itemFaultOf } from '../support/itemFault';

const saved = (fields: IDataObject): ICredentialDataDecryptedObject =>
	asHandedOn({ type: 'comfySelfHostedApi', data: fields as ICredentialDataDecryptedObject });
const read = (fields: IDataObject) => readCredential('comfySelfHostedApi', saved(fields));
const headersOf = (fields: IDataObject) => connectSettings(read(fields)).headers;
const rows = (...values: Array<[name: unknown, value: unknown]>): IDataObject => ({
	signIn: 'headers',
	headers: { values: values.map(([name, value]) => ({ name, value })) } as IDataObject,
});
const basic = (user: unknown, password: unknown = 'secret-marker'): IDataObject => ({ signIn: 'basic', user, password }) as IDataObject;
const bearer = (bearerToken: string): IDataObject => ({ signIn: 'bearer', bearerToken });
const more = (fields: IDataObject): IDataObject => ({ moreSettings: true, ...fields });

const ANN = `Basic ${Buffer.from('ann:pass').toString('base64')}`;

describe('Sign-In sends', () => {
	it.each<[string, IDataObject, Record<string, string>]>([
		['nothing in a credential that was saved without it', {}, {}],
		['nothing for None', { signIn: 'none', user: 'ann', password: 'pass' }, {}],
		['a user and a password', basic(' ann ', 'pass'), { authorization: ANN }],
		['a password with spaces at its ends', basic('ann', ' p '), { authorization: `Basic ${Buffer.from('ann: p ').toString('base64')}` }],
		['a user without a password', basic('ann', ''), { authorization: `Basic ${Buffer.from('ann:').toString('base64')}` }],
		[
			'letters of other scripts as UTF-8',
			basic('änn', 'pässwörd:✓'),
			{ authorization: `Basic ${Buffer.from('änn:pässwörd:✓', 'utf8').toString('base64')}` },
		],
		['a token', bearer(' abc '), { authorization: 'Bearer abc' }],
		[
			'headers, without empty rows',
			rows(['CF-Access-Client-Id', ' id.access '], ['', ''], [' CF-Access-Client-Secret', 'a b']),
			{ 'cf-access-client-id': 'id.access', 'cf-access-client-secret': 'a b' },
		],
		['no header of another choice', { ...rows(['X-A', 'b']), ...basic('ann', 'pass') }, { authorization: ANN }],
		[
			'Authorization beside More Settings without tokens',
			{ ...basic('ann', 'pass'), ...more({ ignoreSslIssues: true }) },
			{ authorization: ANN },
		],
		[
			'Authorization while More Settings is off',
			{ ...basic('ann', 'pass'), token: 'old', engineAuthorizationSecret: 'old' },
			{ authorization: ANN },
		],
	])('%s', (_, fields, headers) => {
		expect(headersOf(fields)).toEqual(headers);
		expect(connectSettings(readControlCredential('comfySelfHostedApi', saved(fields))).headers).toEqual(headers);
	});

	it('the older fields beside other headers', () => {
		const fields = { ...rows(['X-A', 'b']), ...more({ token: 'of-the-proxy', engineAuthorizationSecret: 'Basic of-the-front' }) };
		expect(connectSettings(read(fields))).toMatchObject({
			headers: { 'x-a': 'b' },
			token: 'of-the-proxy',
			authorization: 'Basic of-the-front',
		});
	});
});

describe('the HTTP Request node of n8n sends', () => {
	const nodeTypes = {
		getByName: () => undefined,
		getByNameAndVersion: () => undefined,
		getKnownTypes: () => ({}),
	} as unknown as INodeTypes;
	const workflow = new Workflow({ nodes: [], connections: {}, active: false, nodeTypes });
	const node: INode = { id: '1', name: 'HTTP Request', type: 'httpRequest', typeVersion: 1, position: [0, 0], parameters: {} };
	const expression = new ComfySelfHostedApi().authenticate.properties.headers?.Authorization as string;

	it.each<[string, IDataObject, string]>([
		['the user and the password', basic('änn', 'p'), `Basic ${Buffer.from('änn:p').toString('base64')}`],
		['the bearer token', bearer('abc'), 'Bearer abc'],
		['the token of the API proxy', more({ token: 'abc' }), 'Bearer abc'],
		['nothing without a sign-in', {}, ''],
	])('%s', async (_, fields, header) => {
		const keys = { $credentials: saved(fields) } as unknown as IWorkflowDataProxyAdditionalKeys;
		expect(await workflow.expression.getSimpleParameterValue(node, expression, 'internal', keys, undefined, '')).toBe(header);
	});
});

it.each([
	['basic', basic('ann')],
	['bearer', bearer('abc')],
	['headers', rows(['Authorization', 'abc'])],
])('messages name the option of Sign-In and its fields by their labels (%s)', (choice, fields) => {
	const [{ options = [] } = {}, ...shown] = signInFields;
	const option = options.find((one) => 'value' in one && one.value === choice);
	const labels = shown.flatMap(({ displayName, displayOptions }) => (displayOptions?.show?.signIn?.includes(choice) ? [displayName] : []));
	expect(read(fields).signInLabel).toBe(labels.join(' and '));
	expect(() => read({ ...fields, ...more({ token: 'x' }) })).toThrow(`${option?.name} (Sign-In) and Token (More Settings) both set`);
});

it.each<[what: string, fields: IDataObject, message: RegExp]>([
	['no user', basic('  '), /^User is empty$/],
	['a user with a colon', basic('ann:pass'), /^User contains a colon$/],
	['a password with a line break', basic('ann', 'secret-marker\r\nX: y'), /^Password contains a line break/],
	['no token', bearer(' '), /^Bearer Token is empty$/],
	['a token with the scheme', bearer('Bearer secret-marker'), /^Bearer Token begins with the word "Bearer"/],
	['a token with a line break', bearer('secret-marker\nX: y'), /^Bearer Token contains a space, a line break/],
	['no headers', rows(['', '']), /^Headers is empty$/],
	['a value without a name', rows(['X-A', 'b'], ['', 'secret-marker']), /^Headers: row 2 has no name$/],
	['a name without a value', rows(['X-A', ' ']), /^Headers: the header "X-A" has no value$/],
	['a pasted header line as a name', rows(['X-A: secret-marker', 'b']), /^Headers: the name in row 1 contains a character/],
	['a value with a letter of two bytes', rows(['X-A', 'secret-märker']), /^Headers: the value of "X-A" contains/],
	['a header twice', rows(['X-A', 'b'], ['x-a', 'secret-marker']), /^Headers contains the header "x-a" twice$/],
	[
		'a password beside ComfyUI Authorization',
		{ ...basic('ann'), ...more({ engineAuthorizationSecret: 'Basic x' }) },
		/^User And Password \(Sign-In\) and ComfyUI Authorization \(More Settings\) both set the header Authorization/,
	],
	[
		'a row Authorization beside Token',
		{ ...rows(['Authorization', 'secret-marker']), ...more({ token: 'x' }) },
		/^Headers \(Sign-In\) and Token/,
	],
	['no ComfyUI user', { signIn: 'comfyUser', comfyUser: ' ' }, /^ComfyUI User is empty$/],
	['another choice', { signIn: 'oauth' }, /^Sign-In "oauth" does not exist$/],
	...['Host', 'Content-Length', 'Idempotency-Key', 'Sec-WebSocket-Key'].map((name): [string, IDataObject, RegExp] => [
		`${name}, which the node sets itself`,
		rows(['X-A', 'b'], [name, 'c']),
		new RegExp(`^Headers: the node sets the header "${name}" itself`),
	]),
])('Sign-In rejects %s', (_, fields, message) => {
	const { message: said, advice } = itemFaultOf(() => read(fields)).words;
	expect(said).toMatch(message);
	expect(advice).toContain('Comfy Self-Hosted API credential');
	expect(said + advice).not.toContain('marker');
});
