import type { IDataObject } from 'n8n-workflow';

import { runNode } from '../support/engine';
import { credentialFor, type Way } from '../support/flavours';
import { manageRun } from '../support/manage';
import { sharedSandbox } from '../support/sandbox';
import { jsons } from '../support/submit';

const sandbox = sharedSandbox();

describe('Get Many of saved workflows', () => {
	/** Newest first. */
	const SAVED_ON = {
		'portraits/red fox.app.json': '2026-11-03',
		'portraits/old/cat.json': '2026-11-02',
		'plain.json': '2026-11-01',
		'portraits of foxes/dog.json': '2026-10-02',
	};
	beforeAll(async () => {
		for (const surface of ['engine', 'hosted'] as const) {
			for (const [path, day] of Object.entries(SAVED_ON))
				sandbox.saveWorkflow(path, { nodes: [] }, { surface, modifiedAt: Date.parse(`${day}T10:00:00.000Z`) });
		}
	});

	const read = async (parameters = {}, way: Way = 'bare_engine') =>
		await runNode(manageRun(credentialFor(sandbox, way), 'workflow:getAll', { parameters }));
	const ALL = Object.keys(SAVED_ON);

	it.each(['bare_engine', 'v1'] as Way[])('outputs each saved workflow, newest first (%s)', async (way) => {
		const items = jsons(await read({}, way));
		expect(items[0]).toEqual({
			name: 'red fox',
			folder: 'portraits',
			path: 'portraits/red fox.app.json',
			is_app: true,
			is_template: false,
			size_bytes: 12,
			modified_at: '2026-11-03T10:00:00.000Z',
		});
		expect(items.map(({ path }) => path)).toEqual(ALL);
	});

	it('are those that each item asks for', async () => {
		const cases: Array<[json: IDataObject, wanted: Array<string | undefined>]> = [
			[{ limit: 2 }, ALL.slice(0, 2)],
			[{ limit: 2, returnAll: true }, ALL],
			[{ appsOnly: true }, [ALL[0]]],
			[{ appsOnly: false }, ALL],
			[{ folder: 'portraits' }, ALL.slice(0, 2)],
			[{ folder: '/portraits/old/' }, [ALL[1]]],
			[{ text: 'FOX red' }, [ALL[0]]],
			[{ text: 'fox', limit: 1 }, [ALL[0]]],
			[{ text: 'nothing like it' }, []],
			[{ includeTemplates: true, limit: 5 }, [...ALL, 'template:sandbox_plain_colour']],
		];
		const run = manageRun(credentialFor(sandbox, 'bare_engine'), 'workflow:getAll', {
			items: cases.map(([json]) => ({ json })),
			parameters: {
				returnAll: '={{ $json.returnAll ?? false }}',
				limit: '={{ $json.limit ?? 50 }}',
				filters: { appsOnly: '={{ $json.appsOnly }}', folder: '={{ $json.folder }}', text: '={{ $json.text }}' },
				options: { includeTemplates: '={{ $json.includeTemplates ?? false }}' },
			},
		});
		const { outputs } = await runNode(run);
		expect(outputs[0]?.at(-1)?.json).toEqual({
			name: 'Plain Colour',
			folder: 'Getting Started',
			path: 'template:sandbox_plain_colour',
			is_app: false,
			is_template: true,
			size_bytes: null,
			modified_at: null,
			description: 'One picture of one colour',
		});
		const none = { ...run, asTool: true, items: [{ json: { text: 'nothing like it' } }] };
		expect(jsons(await runNode(none))).toEqual([{ workflows: 0, interface: 'engine' }]);
		for (const [index, [, wanted]] of cases.entries()) {
			const found = (outputs[0] ?? []).filter(({ pairedItem }) => (pairedItem as { item: number }).item === index);
			expect(found.map(({ json }) => json.path)).toEqual(wanted);
		}
	});

	it.each([
		['a deployment', 'deployment' as Way, {}, /has no saved workflows/],
		['v1 that keeps none', 'v1' as Way, { v1Userdata: 'absent' as const }, /has no saved workflows/],
		['several users', 'bare_engine' as Way, { engineUsers: { ann_1: 'Ann' } }, /--multi-user/],
		['an engine that is too old', 'bare_engine' as Way, { engineUserdata: 'absent' as const }, /has no saved workflows/],
	])('%s is reported in words', async (_, way, behaviour, words) => {
		sandbox.configure(behaviour);
		const { error } = await read({}, way);
		sandbox.configure({ v1Userdata: 'there', engineUsers: null, engineUserdata: 'full' });
		expect(error?.message).toMatch(words);
		expect(error?.description).not.toBe('');
	});
});
