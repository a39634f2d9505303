import type { ConnectSettings } from '../../../client';
import { hashIdentity } from '../../../client/connection/parts';

const SETTINGS: ConnectSettings = { interface: 'engine', baseUrl: 'http://127.0.0.1:8188', outboundNetwork: {} };
const ADDRESS = { origin: 'http://127.0.0.1:8188', prefix: '' };

const identity = (changes: Partial<ConnectSettings> = {}, address = ADDRESS, key = 'one'): string =>
	hashIdentity({ ...SETTINGS, ...changes }, address, key);

const lookup = (): void => undefined;

test('M13: is the same for equal settings, and for defaults that are written out', () => {
	expect(identity()).toBe(identity());
	expect(identity({ outboundNetwork: undefined })).toBe(identity());
	expect(identity({ authorization: '', keepLinksOnBaseOrigin: false, rejectUnauthorized: true })).toBe(identity());
});

test.each([
	['interface', () => identity({ interface: 'v2' })],
	['origin', () => identity({}, { ...ADDRESS, origin: 'http://127.0.0.1:8189' })],
	['path', () => identity({}, { ...ADDRESS, prefix: '/comfy' })],
	['key', () => identity({}, ADDRESS, 'other')],
	['authorization', () => identity({ authorization: 'Basic b3RoZXI=' })],
	['header', () => identity({ headers: { 'comfy-user': 'ann' } })],
	['keepLinksOnBaseOrigin', () => identity({ keepLinksOnBaseOrigin: true })],
	['rejectUnauthorized', () => identity({ rejectUnauthorized: false })],
	['egress lookup', () => identity({ outboundNetwork: { lookup } })],
	['egress validateUrl', () => identity({ outboundNetwork: { validateUrl: async () => await Promise.resolve() } })],
])('M13: differs for another %s', (_name, other) => {
	expect(other()).not.toBe(identity());
});

test('is the same for equal headers in another order, and differs for another second header', () => {
	expect(identity({ headers: { a: '1', b: '2' } })).not.toBe(identity({ headers: { a: '1', b: '3' } }));
	expect(identity({ headers: { a: '1', b: '2' } })).toBe(identity({ headers: { b: '2', a: '1' } }));
});

test('M13: differs for another proxy, and for a proxy that cannot be used', () => {
	const direct = identity();
	const proxied = (HTTP_PROXY: string): string => {
		const before = process.env.HTTP_PROXY;
		process.env.HTTP_PROXY = HTTP_PROXY;
		try {
			return identity({}, { origin: 'http://comfy.example', prefix: '' });
		} finally {
			if (before === undefined) delete process.env.HTTP_PROXY;
			else process.env.HTTP_PROXY = before;
		}
	};
	const identities = [direct, proxied('http://proxy.example:3128'), proxied('http://other.example:3128'), proxied('ftp://proxy.example')];
	expect(new Set(identities).size).toBe(identities.length);
});

test('M13: is never the same for connections that have a dispatcher of their own', () => {
	const dispatcher = {} as NonNullable<NonNullable<ConnectSettings['outboundNetwork']>['dispatcher']>;
	expect(identity({ outboundNetwork: { dispatcher } })).not.toBe(identity({ outboundNetwork: { dispatcher } }));
});

test('M13: does not contain the key', () => {
	expect(identity({ authorization: 'Bearer secret' }, ADDRESS, 'secret')).not.toContain('secret');
});
