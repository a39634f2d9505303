import { ComfyApi } from '../../credentials/ComfyApi.credentials';
import { ComfyRouterJwtApi } from '../../credentials/ComfyRouterJwtApi.credentials';
import { ComfySelfHostedApi } from '../../credentials/ComfySelfHostedApi.credentials';
import { ComfyProgressTrigger } from '../../nodes/ComfyProgressTrigger/ComfyProgressTrigger.node';
import { findBreakingChanges, readFrozenSurface, surfaceOf } from '../../scripts/surface/surface';
import { nodes } from '../nodes/support/engine';

const descriptions = [...Object.values(nodes), new ComfyProgressTrigger()].map(({ description }) => description);
const surface = surfaceOf(descriptions, [new ComfyApi(), new ComfyRouterJwtApi(), new ComfySelfHostedApi()]);

it('from now on additions only: what workflows rely on neither goes nor changes (test/package/surface.json)', () => {
	expect(findBreakingChanges(readFrozenSurface(), surface)).toEqual([]);
});

it('what was added is promised from now on; if it is not: npm run surface', () => {
	expect(surface).toEqual(readFrozenSurface());
});

it('every node, field, item and way to fail is in it', () => {
	const { nodes: all, failures } = surface as {
		nodes: Record<string, { parameters: object; item: string[] }>;
		failures: { kinds: string[] };
	};
	expect(Object.keys(all)).toHaveLength(9);
	for (const { parameters, item } of Object.values(all)) {
		expect(Object.keys(parameters)).toContain('authentication');
		expect(item.filter((path) => path.startsWith('json.')).length).toBeGreaterThan(4);
	}
	expect(failures.kinds).toEqual(expect.arrayContaining(['ApiError', 'ConnectionError', 'UnknownOutcomeError']));
});

const promised = { wait: { options: ['live', 'polling'], default: 'live' } };

it.each([
	['a name is removed', {}, ['wait: was {"options":["live","polling"],"default":"live"}, is nothing']],
	['a value is removed', { wait: { options: ['live'], default: 'live' } }, ['wait > options: "polling" has gone']],
	['a default changes', { wait: { ...promised.wait, default: 'polling' } }, ['wait > default: was "live", is "polling"']],
	['names and values are added', { wait: { default: 'live', options: ['new', 'polling', 'live'], hint: 1 }, more: {} }, []],
])('the surface is compared where %s', (_, now, expected) => expect(findBreakingChanges(promised, now)).toEqual(expected));
