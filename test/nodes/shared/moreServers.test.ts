import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { ApiError, UnreadableAnswerError } from '../../../client';
import { poolSettings } from '../../../nodes/shared/connect/openConnection';
import { type ChosenInterface, enteredAddress, readCredential, serverKey, type ServiceCredential } from '../../../nodes/shared/credentials';
import { wordsFor } from '../../../nodes/shared/explain/wordsFor';
import { asHandedOn } from '../support/credentials';
import { itemFaultOf } from '../support/itemFault';

const FIRST = 'http://gpu1:8188';

const read = (fields: IDataObject, chosen?: ChosenInterface): ServiceCredential => {
	const data = { baseUrl: FIRST, hasMoreServers: true, ...fields } as ICredentialDataDecryptedObject;
	return readCredential('comfySelfHostedApi', asHandedOn({ type: 'comfySelfHostedApi', data }), chosen);
};
const rows = (...values: IDataObject[]): IDataObject => ({ serversWithSignIn: { values } });
const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;

/** The address and the sign-in of each server of the pool. */
const poolOf = (credential: ServiceCredential) =>
	poolSettings(credential).servers.map(({ baseUrl, headers, authorization, comfyUser }) => ({
		baseUrl,
		headers,
		...(authorization !== undefined && { authorization }),
		...(comfyUser !== undefined && { comfyUser }),
	}));

describe('a pool consists of', () => {
	it('Address and each line of More Servers, with the same sign-in', () => {
		const fields = { moreServers: ' gpu2:8188 \r\n\n  https://gpu3/comfy/\n', signIn: 'basic', user: 'ann', password: 'pass' };
		const headers = { authorization: basic('ann:pass') };
		expect(poolOf(read(fields))).toEqual([
			{ baseUrl: FIRST, headers },
			{ baseUrl: 'http://gpu2:8188', headers },
			{ baseUrl: 'https://gpu3/comfy/', headers },
		]);
	});

	it('ComfyUI Address instead of Address if it is entered', () => {
		const fields = {
			moreServers: 'gpu2:8188',
			engineIsElsewhere: true,
			engineUrl: 'http://engine:8188',
			token: 'of-the-proxy',
			moreSettings: true,
		};
		for (const credential of [read(fields), read(fields, 'engine')]) {
			expect(credential).toMatchObject({ baseUrl: 'http://engine:8188', addressLabel: 'ComfyUI Address', engineUrl: '' });
			expect(poolOf(credential).map(({ baseUrl }) => baseUrl)).toEqual(['http://engine:8188', 'http://gpu2:8188']);
		}
	});

	it('servers with their own sign-in, which do not get the sign-in of the first server', () => {
		const fields = {
			...rows(
				{ address: 'gpu2:8188', user: 'bob', password: ' secret ' },
				{ address: 'https://gpu3', bearerToken: 'token-3' },
				{ address: 'gpu4:8188' },
				{},
			),
			signIn: 'bearer',
			bearerToken: 'token-1',
		};
		expect(poolOf(read(fields))).toEqual([
			{ baseUrl: FIRST, headers: { authorization: 'Bearer token-1' } },
			{ baseUrl: 'http://gpu2:8188', headers: { authorization: basic('bob: secret ') } },
			{ baseUrl: 'https://gpu3', headers: { authorization: 'Bearer token-3' } },
			{ baseUrl: 'http://gpu4:8188', headers: {} },
		]);
	});

	it('servers without ComfyUI Authorization if they have their own sign-in, and with ComfyUI User in any case', () => {
		const fields = {
			moreServers: 'gpu2:8188',
			...rows({ address: 'gpu3:8188' }),
			moreSettings: true,
			engineAuthorizationSecret: 'Basic of-the-front',
			signIn: 'comfyUser',
			comfyUser: 'ann',
		};
		expect(poolOf(read(fields))).toEqual([
			{ baseUrl: FIRST, headers: {}, authorization: 'Basic of-the-front', comfyUser: 'ann' },
			{ baseUrl: 'http://gpu2:8188', headers: {}, authorization: 'Basic of-the-front', comfyUser: 'ann' },
			{ baseUrl: 'http://gpu3:8188', headers: {}, comfyUser: 'ann' },
		]);
	});
});

describe('without more servers the credential stays as it was', () => {
	it.each<[string, IDataObject]>([
		['with empty fields', { moreServers: ' \n ', ...rows({ address: ' ' }) }],
		['if Several ComfyUIs is off', { hasMoreServers: false, moreServers: 'gpu2:8188' }],
	])('%s', (_, fields) => {
		const before = readCredential('comfySelfHostedApi', { baseUrl: FIRST });
		expect(JSON.stringify(read(fields))).toBe(JSON.stringify({ ...before, engineUrl: '' }));
		expect(serverKey(read(fields))).toBe(serverKey(before));
	});

	it('with the cache key of version 0.1.0', () => {
		const fields = { baseUrl: FIRST, engineUrl: 'gpu9:8188', token: 'abc', engineAuthorizationSecret: 'Basic x' };
		const keyFor = (chosen: ChosenInterface) => serverKey(readCredential('comfySelfHostedApi', fields, chosen)).slice(0, 16);
		expect([keyFor('automatic'), keyFor('engine'), keyFor('v2')]).toEqual(['8fd044f8589a774c', 'de1d2d23f6633e11', 'ae879ce937844991']);
	});
});

it('the cache key depends on each server and its sign-in', () => {
	const keys = [
		{},
		{ moreServers: 'gpu2:8188' },
		{ moreServers: 'gpu3:8188' },
		rows({ address: 'gpu2:8188', bearerToken: 'a' }),
		rows({ address: 'gpu2:8188', bearerToken: 'b' }),
	];
	expect(new Set(keys.map((fields) => serverKey(read(fields)))).size).toBe(keys.length);
});

it.each<[what: string, fields: IDataObject, message: RegExp, place: string]>([
	['a line that is not an address', { moreServers: 'gpu2:8188\n\ngpu 3' }, /^Line 3 of More Servers is not a valid address$/, 'line 3'],
	['B20: the second line with ws', { moreServers: 'gpu2:8188\nws://gpu3:8188' }, /^Line 2 of More Servers is not/, 'line 2'],
	[
		'a line with a password',
		{ moreServers: 'http://ann:marker-1@gpu2' },
		/^Line 1 of More Servers contains a user or a password$/,
		'a row',
	],
	['a row without an address', rows({ address: 'gpu2:8188' }, { user: 'ann' }), /^Row 2 of .* has no address$/, 'row 2'],
	[
		'a row with two sign-ins',
		rows({ address: 'gpu2:8188', user: 'ann', bearerToken: 'marker-1' }),
		/^Row 1 .* contains a user or a password, and a Bearer Token$/,
		'clear Bearer Token',
	],
	['a token with the scheme', rows({ address: 'gpu2:8188', bearerToken: 'Bearer marker-1' }), /^Row 1 of .*the word "Bearer"$/, 'row 1'],
])('More Servers rejects %s', (_, fields, message, place) => {
	const fault = itemFaultOf(() => read(fields));
	expect(fault.message).toMatch(message);
	expect(fault.words.advice).toContain(place);
	expect(fault.words.advice).toContain('Comfy Self-Hosted API credential (under Several ComfyUIs)');
	expect(fault.message + fault.words.advice).not.toContain('marker');
});

it('More Servers does not work with the Interface v2', () => {
	const fault = itemFaultOf(() => read({ moreServers: 'gpu2:8188' }, 'v2'));
	expect(fault.message).toMatch(/^Interface is v2, but the credential contains several ComfyUIs/);
	expect(fault.words.advice).toMatch(/Set Interface in Options to Automatic or Engine/);
	expect(read({ moreServers: ' ' }, 'v2')).toMatchObject({ interface: 'v2' });
});

describe('a message about a server of a pool', () => {
	const credential = read({
		moreServers: 'gpu2:8188\n\ngpu1:8188/two',
		...rows({ address: 'https://gpu4/comfy', user: 'ann' }, { address: 'gpu5:8188' }),
	});
	const answered = (address: string, facts: Partial<UnreadableAnswerError['facts']>) =>
		wordsFor(new UnreadableAnswerError({ status: 404, contentType: null, reason: 'unexpected', address, ...facts }), credential);

	it.each([
		['https://gpu4/comfy', 'row 1 of Servers With Own Sign-In in the Comfy Self-Hosted API credential (under Several ComfyUIs)'],
		['http://gpu2:8188', 'Sign-In in the Comfy Self-Hosted API credential'],
	])('names the field of the sign-in that the server at %s did not accept', (server, field) => {
		const error = new ApiError({ interface: 'engine', code: 'unauthorized', status: 401, message: '' });
		error.server = server;
		expect(wordsFor(error, credential).advice).toContain(`Check ${field}. `);
	});

	it.each([
		['http://gpu2:8188', 'requires a sign-in', 'check Sign-In in'],
		['https://gpu4/comfy', 'did not accept the sign-in', 'Check row 1 of Servers With Own Sign-In'],
		['http://gpu5:8188', 'requires its own sign-in', 'Enter the sign-in in row 2 of Servers With Own Sign-In'],
	])('names where the sign-in of %s is entered, if a login page is in front of it', (server, what, advice) => {
		const said = answered(`${server}/system_stats`, { status: 401, reason: 'html' });
		expect(said.message).toBe(`The server at ${server} ${what} (HTTP 401)`);
		expect(said.advice).toContain(advice);
	});

	it('distinguishes two servers of one origin by their paths', () => {
		expect(enteredAddress('http://gpu1:8188/two/api/prompt', credential)).toBe('http://gpu1:8188/two');
		expect(answered('http://gpu1:8188/two/prompt', { status: 200, reason: 'html' }).advice).toContain('line 3 of More Servers');
		expect(answered('http://gpu1:8188/prompt', { status: 200, reason: 'html' }).advice).toContain('Check that Address in');
	});
});
