/** Storage accepts signed links, and nothing else. */
import { startSandbox, type Sandbox } from '../../sandbox';
import { Caller } from './support/caller';

const BYTES = Buffer.from('0123456789');
let sandbox: Sandbox;
let hosted: Caller;
let assetId: string;
let link: string;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Caller(sandbox, 'hosted');
	const { json } = await hosted.upload(BYTES, { content_type: 'image/webp' });
	assetId = String(json.id);
	link = String(json.url);
});
afterAll(async () => await sandbox.close());
afterEach(() => sandbox.configure({ linkLifetimeSeconds: 3600, expiredLinkStatus: 400, assetUrls: 'signed' }));

test.each(['authorization', 'x-api-key', 'cookie'])('a request with the header "%s" is refused', async (name) => {
	const response = await fetch(link, { headers: { [name]: 'Bearer secret' } });
	expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('<Code>InvalidArgument</Code>')]);
});

test('a changed link and a link without a signature are refused', async () => {
	for (const url of [link.replace('image%2Fwebp', 'text%2Fhtml'), link.split('?')[0] ?? '', sandbox.urls.storage])
		expect((await fetch(url)).status).toBe(403);
});

test.each([
	['bytes=2-4', 206, '234', 'bytes 2-4/10'],
	['bytes=7-', 206, '789', 'bytes 7-9/10'],
	['bytes=-2', 206, '89', 'bytes 8-9/10'],
	['bytes=8-99', 206, '89', 'bytes 8-9/10'],
	['bytes=4-2', 200, '0123456789', null],
	['pages=1-2', 200, '0123456789', null],
	['bytes=10-', 416, expect.stringContaining('InvalidRange'), 'bytes */10'],
])('the range "%s" is answered with status %i', async (range, status, text, contentRange) => {
	const response = await fetch(link, { headers: { range } });
	expect([response.status, await response.text(), response.headers.get('content-range')]).toEqual([status, text, contentRange]);
});

test('a range of another version of the file returns the whole file', async () => {
	const etag = (await fetch(link)).headers.get('etag') ?? '';
	const partly = async (ifRange: string) => (await fetch(link, { headers: { range: 'bytes=5-', 'if-range': ifRange } })).status;
	expect([await partly(etag), await partly('"other"')]).toEqual([206, 200]);
});

test('a link expires at the time that its asset gives, or by a fault of storage or of the content route', async () => {
	const status = async (url: string) => (await fetch(url)).status;
	const { json } = await hosted.call('GET', `/assets/${assetId}`);
	const lifetimeMs = Date.parse(String(json.url_expires_at)) - Date.now();
	expect([lifetimeMs > 3_500_000, lifetimeMs <= 3_600_000]).toEqual([true, true]);
	sandbox.configure({ linkLifetimeSeconds: 0 });
	const old = String((await hosted.call('GET', `/assets/${assetId}`)).json.url);
	expect(await status(old)).toBe(400);
	sandbox.configure({ linkLifetimeSeconds: 3600, expiredLinkStatus: 403 });
	expect(await status(old)).toBe(403);

	sandbox.inject({ on: 'GET /blobs/:id', surface: 'storage', fault: { kind: 'expired_link' } });
	expect([await status(link), await status(link)]).toEqual([403, 200]);
	sandbox.inject({ on: 'GET /api/v2/assets/:id/content', fault: { kind: 'expired_link' } });
	const { headers } = await hosted.call('GET', `/assets/${assetId}/content`);
	expect(await status(headers.get('location') ?? '')).toBe(403);
});

test('an asset links to its content route with assetUrls "content"', async () => {
	sandbox.configure({ assetUrls: 'content' });
	expect((await hosted.call('GET', `/assets/${assetId}`)).json.url).toBe(`${sandbox.urls.hosted}/api/v2/assets/${assetId}/content`);
});

test('a download that is cut is recorded with the bytes that were served', async () => {
	const { json } = await hosted.upload(Buffer.alloc(2_000_000, 1));
	sandbox.inject({ on: 'GET /blobs/:id', fault: { kind: 'truncate', afterBytes: 500_000 } });
	await expect(fetch(String(json.url)).then(async (response) => await response.arrayBuffer())).rejects.toThrow();
	const served = sandbox.requests('GET /blobs/:id', 'storage').at(-1);
	expect(served?.responseBytes).toBeGreaterThanOrEqual(500_000);
	expect(served?.responseBytes).toBeLessThan(501_000);
});
