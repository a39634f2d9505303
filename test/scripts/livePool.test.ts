/** `npm run live` with several addresses, against two sandboxes in place of two ComfyUIs. */
import type { SandboxOptions } from '../../sandbox';
import { deadOrigin } from '../client/support/deadOrigin';
import { runFaster } from '../support/fastClock';
import { useLive } from './support/live';

const POOL_CHECKS = [
	'Reach each server',
	'Divide jobs',
	'Find jobs by id',
	'Same key, one job',
	'Queue and cancel',
	'Copy an upload',
	'Pass outputs on',
	'Servers and models',
	'One server, two names',
];
const OUTAGES = ['Server killed', 'Run elsewhere'];

const { sandbox, live, startable } = useLive();
runFaster(5);

/** Leaves out the checks of the first server. */
const fromPool = (names: readonly string[], checks: readonly string[]): string[] => names.slice(names.length - checks.length);

test.each<[string, SandboxOptions, SandboxOptions]>([
	['two engines of different versions', {}, { engineJobRoutes: true }],
	['older engines, which give every prompt an id of its own', { enginePromptIds: 'own' }, { enginePromptIds: 'own' }],
])('every check of a pool holds on %s', async (_name, one, other) => {
	const [first, second] = [await sandbox(one), await sandbox(other)];
	const { hasHeld, held, notShown, printed } = await live('--url', first.urls.engine, '--url', second.urls.engine);
	expect({ held: fromPool(held, POOL_CHECKS), notShown: fromPool(notShown, OUTAGES), hasHeld, printed }).toMatchObject({
		held: POOL_CHECKS,
		notShown: OUTAGES,
		hasHeld: true,
	});
});

test('jobs of a server that is killed are reported, or run on the other server', async () => {
	const servers = [await startable(await sandbox()), await startable(await sandbox())];
	const { hasHeld, held, printed } = await live(...servers.flatMap(({ url, command }) => ['--url', url, '--start', command]));
	const expected = [...POOL_CHECKS, ...OUTAGES];
	expect({ held: fromPool(held, expected), hasHeld, printed }).toMatchObject({ held: expected, hasHeld: true });
	for (const { url } of servers) await expect(fetch(url)).rejects.toThrow();
});

test.each<[string, (first: string) => Promise<string>, RegExp]>([
	['is the first one again', async (first) => await Promise.resolve(`${first}/`), /two of the addresses are the same/],
	['has no server', deadOrigin, /The connection was refused \(http/],
])('reports a second address that %s', async (_name, address, words) => {
	const { urls } = await sandbox();
	const { hasHeld, failed, notShown, printed } = await live('--url', urls.engine, '--url', await address(urls.engine));
	expect([hasHeld, failed, printed]).toEqual([false, ['Reach each server'], expect.stringMatching(words)]);
	expect(notShown).not.toContain('Server killed');
});

test('a server that does not store files fails exactly the checks that depend on it', async () => {
	const [first, second] = [await sandbox(), await sandbox()];
	second.inject({ on: 'POST /api/upload/image', surface: 'engine', times: Infinity, answer: { status: 403, body: '' } });
	const { hasHeld, failed, printed } = await live('--url', first.urls.engine, '--url', second.urls.engine);
	expect({ hasHeld, failed, printed }).toMatchObject({ hasHeld: false, failed: ['Copy an upload', 'Pass outputs on'] });
});
