import type { NamedCredential } from '../../../nodes/shared/credentials';
import { resultMask, secretMask, withoutSecrets } from '../../../nodes/shared/withoutSecrets';

const credential = (more: Partial<NamedCredential>): NamedCredential => ({
	displayName: 'Comfy',
	secretLabel: 'API Key',
	baseUrl: 'http://engine.test',
	rejectUnauthorized: true,
	addressLabel: 'Address',
	token: '',
	partnerKey: '',
	...more,
});
const TOKEN = { token: 'abcdef' };
const LOGIN = Buffer.from('user:pass99').toString('base64');
const BASIC = { authorization: `Basic ${LOGIN}` };
const TWO_MORE = [
	{ address: 'http://gpu2', headers: { 'x-a': 'abcdef' }, authorization: '' },
	{ address: 'http://gpu3', headers: { 'x-b': 'ghijkl' }, authorization: 'Key mnopqr' },
] as unknown as NamedCredential['moreServers'];
const COOKIE = { headers: { Cookie: 'sid=s3ss10nA; session=b%2Bc%2Fd%3D' } };

it.each<[what: string, secrets: Partial<NamedCredential> | undefined, text: string, masked: string]>([
	['a token that comes twice', TOKEN, 'x abcdef y abcdef', 'x *** y ***'],
	['the header with the token as a whole', TOKEN, 'Bearer abcdef', '***'],
	['a partner key', { partnerKey: 'abcdef' }, 'abcdef', '***'],
	['a token for partner nodes', { partnerAuthToken: 'abcdef' }, 'abcdef', '***'],
	['a header without a scheme', { authorization: 'abc-def' }, 'abc-def', '***'],
	['a header of another scheme', { authorization: 'Token  abcdef' }, 'abcdef', '***'],
	['a Basic header', BASIC, BASIC.authorization, '***'],
	['the value of a Basic header', BASIC, LOGIN, '***'],
	['the login of a Basic header', BASIC, 'user:pass99', '***'],
	['the password of a Basic header', BASIC, 'pass99', '***'],
	['the password of a Basic header of Sign-In', { headers: BASIC }, 'pass99', '***'],
	['a bearer token of Sign-In', { headers: { authorization: 'Bearer abcdef' } }, 'x abcdef', 'x ***'],
	['a header of Sign-In', { headers: { 'x-a': 'abcdef', 'x-b': 'ghijkl' } }, 'ghijkl abcdef', '*** ***'],
	['the sign-in of each of two more servers', { moreServers: TWO_MORE }, 'abcdef and mnopqr and ghijkl', '*** and *** and ***'],
	['no name of a header', { headers: { 'cf-access-client-id': 'abcdef' } }, 'cf-access-client-id', 'cf-access-client-id'],
	['a space as a plus sign', { token: 'abc def' }, 'abc+def', '***'],
	['a space as a code', { token: 'abc def' }, 'abc%20def', '***'],
	['a tab as a code', { token: 'abc\tdef' }, 'abc%09def', '***'],
	['a letter of two bytes as codes', { token: 'abcdéf' }, 'abcd%C3%A9f', '***'],
	['a slash as a code of capital letters', { token: 'ab/def' }, 'ab%2Fdef', '***'],
	['a slash as a code that is encoded again', { token: 'ab/def' }, 'ab%252Fdef', '***'],
	['the longer of two secrets', { ...TOKEN, partnerKey: 'abcdefgh' }, 'abcdefgh', '***'],
	['an encoded letter', TOKEN, '%61bcdef', '***'],
	['a quotation mark of JSON', { token: 'ab"def' }, 'ab\\"def', '***'],
	['a token as hex in small letters', TOKEN, 'x 616263646566', 'x ***'],
	['a token as hex in capital letters', { token: 'jklmno' }, '6A6B6C6D6E6F', '***'],
	['a letter as an HTML entity by number', { token: 'ab/def' }, 'ab&#47;def', '***'],
	['a letter as an HTML entity by hexadecimal number', { token: 'ab/def' }, 'ab&#x2F;def', '***'],
	['a letter as an HTML entity by name', { token: 'ab<d&f' }, 'ab&lt;d&amp;f', '***'],
	['an HTML entity that is encoded again', { token: 'ab<d&f' }, 'ab&amp;lt;d&amp;amp;f', '***'],
	['a letter as a code of JSON', { token: 'abcdéf' }, 'abcd\\u00e9f', '***'],
	['a value of a Cookie header', COOKIE, 'got s3ss10nA', 'got ***'],
	['the second value of a Cookie header', COOKIE, 'got b+c/d=', 'got ***'],
	['an encoded value of a Cookie header', COOKIE, 'got b%2Bc%2Fd%3D', 'got ***'],
	['a pair of a Cookie header', COOKIE, 'got sid=s3ss10nA', 'got ***'],
	['no name of a Cookie header', COOKIE, 'session', 'session'],
	['no password of a scheme that has none', { authorization: `Token ${LOGIN}` }, 'pass99', 'pass99'],
	['no plus sign for a letter', TOKEN, 'abcde+', 'abcde+'],
	['no token of five characters', { token: 'abcde' }, 'abcde', 'abcde'],
	['nothing without secrets', {}, 'text 50%', 'text 50%'],
	['nothing without a credential', undefined, 'text 50%', 'text 50%'],
])('masks in a text: %s', (_, secrets, text, masked) => {
	const known = secrets && credential(secrets);
	expect(secretMask(known)(text)).toBe(masked);
	expect(withoutSecrets({ list: ['x', text, null, undefined, 5], [text]: true }, known)).toEqual({
		list: ['x', masked, null, undefined, 5],
		[masked]: true,
	});
	expect(withoutSecrets({ [text]: true }, known)).toEqual({ [masked]: true });
});

it.each<[what: string, secrets: Partial<NamedCredential>, text: string, masked: string]>([
	['a word of 20 letters', { token: 'abcdefghijklmnopqrst' }, 'abcdefghijklmnopqrst', '***'],
	['a word of 19 letters', { token: 'abcdefghijklmnopqrs' }, 'abcdefghijklmnopqrs', 'abcdefghijklmnopqrs'],
	['eight letters and digits', { token: 'abcdefg1' }, 'abcdefg1', '***'],
	['seven letters and digits', { token: 'abcdef1' }, 'abcdef1', 'abcdef1'],
	['eight digits', { token: '12345678' }, '12345678', '12345678'],
	['a part of the base URL', { token: 'abcdefg1', baseUrl: 'http://abcdefg1.test' }, 'abcdefg1', 'abcdefg1'],
	['a part of the engine’s address', { token: 'abcdefg1', engineUrl: 'http://abcdefg1.test' }, 'abcdefg1', 'abcdefg1'],
	['a part of the hosted URL', { token: 'abcdefg1', hostedUrl: 'http://abcdefg1.test' }, 'abcdefg1', 'abcdefg1'],
	['words with a hyphen', { token: 'stable-diffusion' }, 'stable-diffusion', 'stable-diffusion'],
	['an ordinary word', { token: 'portrait' }, 'a portrait', 'a portrait'],
	['a header with an ordinary word', { token: 'portrait' }, 'Bearer portrait', '***'],
	['a sentence like a header', { token: 'my Bearer x' }, 'my Bearer x', 'my Bearer x'],
	['a header of Sign-In', { headers: { 'x-a': 'abcdefg1' } }, 'abcdefg1', '***'],
	['an ordinary word in a header of Sign-In', { headers: { 'x-a': 'portrait' } }, 'portrait', 'portrait'],
	['no secret', {}, 'text 50%', 'text 50%'],
])('masks in results only what can be nothing else: %s', (_, secrets, text, masked) => {
	expect(resultMask(credential(secrets))([{ text }])).toEqual([{ text: masked }]);
});

it('gives back the same object where nothing is masked', () => {
	const value = { list: [1, 'x', ['y']], bytes: Buffer.from('abcdefg1'), nothing: null };
	for (const token of ['abcdefg1', '']) expect(resultMask(credential({ token }))(value)).toBe(value);
	const result = resultMask(credential({ token: 'abcdefg1' }))({ value, key: 'abcdefg1' });
	expect(result).toEqual({ value, key: '***' });
	expect(result.value).toBe(value);
});

it.each(['base64', 'base64url'] as const)('masks two secrets in %s, wherever they begin in the encoded text', (encoding) => {
	const mask = secretMask(credential({ token: '~~~???>>>', partnerKey: 'key-of-the-partner' }));
	for (const secret of ['~~~???>>>', 'key-of-the-partner']) {
		for (const before of ['', 'a', 'ab', 'abc']) {
			for (const after of ['', 'x', 'xy', 'xyz']) {
				const masked = mask(Buffer.from(`${before}${secret}${after}`).toString(encoding));
				expect(masked).toContain('***');
				expect(masked.replace('***', '').length).toBeLessThanOrEqual(8);
			}
		}
	}
});
