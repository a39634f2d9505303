import { cpuMs } from '../support/cpuTime';
import type { IDataObject, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { searchFileInputs, searchOutputNodes } from '../../nodes/shared/listSearch/inputs';
import { useSandbox } from '../client/support/sandbox';
import { deadOrigin } from '../client/support/server';
import * as graphs from '../support/graphs';
import { editorContext } from './support/editor';
import { type Credential, nodes } from './support/engine';
import { credentialFor } from './support/flavours';

const harness = useSandbox();

type Listing = 'comfyRunWorkflow' | 'comfySubmitWorkflow';

async function search(
	workflow: unknown,
	{
		node = 'comfySubmitWorkflow',
		credential,
		filter,
		token,
		...parameters
	}: { node?: Listing; credential?: Credential; filter?: string; token?: string } & IDataObject = {},
): Promise<INodeListSearchResult> {
	const editor = editorContext(
		node as Listing,
		{ workflowSource: 'json', workflow: workflow as string, ...parameters },
		credential as Credential | undefined,
	);
	return await nodes[node as Listing].methods.listSearch.searchInputs.call(
		editor,
		filter as string | undefined,
		token as string | undefined,
	);
}
const namesOf = ({ results }: INodeListSearchResult): string[] => results.map(({ name }) => name);
const text = (graph: object): string => JSON.stringify(graph);

describe('the list of inputs', () => {
	it.each(['comfyRunWorkflow', 'comfySubmitWorkflow'] as const)(
		'of %s is what the pasted workflow lets one change, and what each value was',
		async (node) => {
			const { results } = await search(text(graphs.textToImage), { node });
			expect(results.slice(0, 4)).toMatchObject([
				{ name: 'CLIP Text Encode (Prompt) (#6) · text (was "a lighthouse in fog")', value: '6.text' },
				{ name: 'CLIP Text Encode (Prompt) (#7) · text (was "blurry, watermark")', value: '7.text' },
				{ name: 'KSampler · seed (was 156680208700286)', value: '3.seed' },
				{ name: 'Empty Latent Image · width (was 512)', value: '5.width' },
			]);
		},
	);

	it('is found by the words of title, input, value and name, in any order', async () => {
		expect(namesOf(await search(text(graphs.textToImage), { filter: 'ksampler ste' }))).toEqual(['KSampler · steps (was 20)']);
		expect((await search(text(graphs.textToImage), { filter: 'FOG prompt' })).results).toHaveLength(1);
		expect((await search(text(graphs.chineseTitles), { filter: '提示词' })).results).toHaveLength(2);
		expect((await search(text(graphs.textToImage), { filter: '5.wid' })).results).toHaveLength(1);
		expect((await search(text(graphs.textToImage), { filter: 'no such' })).results).toEqual([]);
	});

	it('shows long values cut, and long numbers whole', async () => {
		const long = {
			'1': graphs.node('CLIPTextEncode', 'Prompt', { text: `a  ${'very '.repeat(50)}long\nprompt` }),
			'2': graphs.node('Any', 'B', { empty: '', record: { a: [1] }, yes: true }),
		};
		expect(namesOf(await search(text(long)))).toEqual([
			'Prompt · text (was "a very very very very very very very ve…)',
			'B · empty (was empty)',
			'B · record (was {"a":[1]})',
			'B · yes (was true)',
		]);
		expect(namesOf(await search(graphs.longNumbersText))[0]).toBe(`Sampler · seed (was ${graphs.LONG_SEED})`);
	});

	it('takes the workflow as an object', async () => {
		expect((await search(graphs.chineseTitles)).results).toHaveLength(4);
	});

	it.each([
		['that is empty', '{}', {}, /^Workflow is empty: paste it there first/],
		['that is no JSON', '{"1": ', {}, /^Workflow is not readable JSON: .*In ComfyUI open the workflow and choose File > Export \(API\)/],
		[
			'of the editor in which nothing would run',
			'{"nodes": [], "links": []}',
			{},
			/^Workflow cannot be converted: nothing in it would run/,
		],
		['that is something else', '[1, 2]', {}, /^Workflow is not in API format/],
		[
			'that comes by an expression',
			'={{ $json.workflow }}',
			{},
			/^The workflow comes by an expression.*Choose By Name and enter e\.g\. 6\.text/,
		],
		['whose expression finds nothing', undefined, {}, /^The workflow comes by an expression/],
		['that comes as a file', '{}', { workflowSource: 'file' }, /^The workflow comes as a file when the node runs\. Choose By Name/],
		['in which everything is linked', text(graphs.allLinked), {}, /^Nothing in this workflow can be changed/],
	])('of a workflow %s is one line that says so, and chooses nothing', async (_name, workflow, parameters, words) => {
		expect((await search(workflow, parameters)).results).toEqual([{ name: expect.stringMatching(words), value: '' }]);
	});

	it('of 10 MB comes in pages, and quickly', async () => {
		const graph = Object.fromEntries(
			Array.from({ length: 12_000 }, (_, index) => [
				String(index),
				graphs.node('CLIPTextEncode', `Prompt ${index}`, { text: 'x'.repeat(800) }),
			]),
		);
		const workflow = text(graph);
		expect(workflow.length).toBeGreaterThan(10_000_000);
		const began = cpuMs();
		const { results, paginationToken } = await search(workflow);
		expect(cpuMs() - began).toBeLessThan(10_000);
		expect(results).toHaveLength(200);
		expect((await search(workflow, { token: paginationToken as string })).results[0]?.value).toBe('200.text');
		expect((await search(workflow, { filter: '11999.text' })).results).toHaveLength(1);
		expect((await search(`${workflow}]`)).results[0]?.name.length).toBeLessThan(1_000);
	});
});

describe('ranges and choices', () => {
	const sampler = (value: string) => ({
		'1': graphs.node('KSampler', 'Sampler', { steps: 20, cfg: 8, sampler_name: 'euler', scheduler: value }),
	});

	it.each(['bare_engine', 'engine', 'v1'] as const)('are shown where definitions are told (%s), asked once', async (way) => {
		const credential = credentialFor(harness.sandbox, way);
		harness.sandbox.resetRecords();
		const names = namesOf(await search(text(sampler('normal')), { credential }));
		expect(names[0]).toBe('Sampler · steps (was 20; 1 to 10000)');
		expect(names[2]).toMatch(/^Sampler · sampler_name \(was "euler"; one of euler, .* and \d+ more\)$/);
		const asked = harness.sandbox.requests().length;
		await search(text(sampler('karras')), { credential });
		expect(harness.sandbox.requests()).toHaveLength(asked);
	});

	it.each(['hosted', 'deployment', 'self_hosted_token'] as const)('are left out where there are none (%s)', async (way) => {
		expect(namesOf(await search(text(sampler('normal')), { credential: credentialFor(harness.sandbox, way) }))[0]).toBe(
			'Sampler · steps (was 20)',
		);
	});

	it('are left out while nobody answers, slowly or at all, with a wrong key, and with no credential', async () => {
		const workflow = text(sampler('normal'));
		const nobody = credentialFor(harness.sandbox, 'bare_engine', { baseUrl: await deadOrigin() });
		expect((await search(workflow, { credential: nobody })).results).toHaveLength(4);
		expect((await search(workflow)).results).toHaveLength(4);
		expect((await search(workflow, { credential: credentialFor(harness.sandbox, 'v1', { apiKey: 'wrong' }) })).results).toHaveLength(4);
		harness.sandbox.inject({ on: 'GET /api/object_info/KSampler', times: 1, fault: { kind: 'delay', ms: 5_000 } });
		const other = credentialFor(harness.sandbox, 'bare_engine', { keepLinksOnThisAddress: true });
		expect(namesOf(await search(workflow, { credential: other }))[0]).toBe('Sampler · steps (was 20)');
	});
});

describe('the lists of files and output nodes', () => {
	const editor = (graph: object) => editorContext('comfyRunWorkflow', { workflowSource: 'json', workflow: text(graph) });

	it('name what takes a file, and of which kind', async () => {
		expect((await searchFileInputs.call(editor(graphs.inpaint))).results).toMatchObject([
			{ name: 'Picture · image (was "room.png"; takes an image)', value: '1.image' },
			{ name: 'Mask · image (was "room mask.png"; takes a mask)', value: '2.image' },
		]);
		expect((await searchFileInputs.call(editor(graphs.textToImage))).results).toEqual([
			{ name: expect.stringMatching(/^No input of this workflow is known to take a file/), value: '' },
		]);
	});

	it('name the nodes whose results a job brings', async () => {
		expect((await searchOutputNodes.call(editor(graphs.inpaint))).results).toMatchObject([
			{ name: 'Look · PreviewImage · temporary preview', value: '9' },
			{ name: 'Result · SaveImage', value: '10' },
		]);
		expect((await searchOutputNodes.call(editor({ '1': graphs.node('Maker', 'A', { n: 1 }) }))).results).toEqual([
			{ name: expect.stringMatching(/^No node of this workflow saves/), value: '' },
		]);
	});
});

describe('what a row holds, when n8n loads its list for another credential', () => {
	const holding = (input: IDataObject) => ({ inputs: { values: [{ input: { __rl: true, mode: 'list', ...input }, value: '' }] } });
	let days = 0;
	/** Each of a day of its own: what was listed before is remembered. */
	const chosen = (value: string) => ({
		value,
		cachedResultName: `Positive · text (was "of day ${++days}")`,
		cachedResultUrl: 'https://of.old.example',
	});
	const account = (apiKey: string) => ({ ...credentialFor(harness.sandbox), id: apiKey });

	it('comes first, and as the row has it, whatever it was by now: nothing is taken over, so that n8n empties no other row', async () => {
		const held = chosen('7.text');
		const { results } = await search(text(graphs.textToImage), holding(held));
		expect(results[0]).toEqual({ name: held.cachedResultName, value: '7.text', url: held.cachedResultUrl });
		expect(results.filter(({ value }) => value === '7.text')).toHaveLength(1);
	});

	it('is shown as it is by now to whoever opens the list after that', async () => {
		const held = chosen('7.text');
		await search(text(graphs.textToImage), holding(held));
		const { results } = await search(text(graphs.textToImage), holding(held));
		expect(results[0]?.name).toContain('(#6)');
		expect(results.filter(({ value }) => value === '7.text')).toMatchObject([{ name: expect.stringContaining('"blurry, watermark"') }]);
	});

	it('is kept anew at each change of the credential', async () => {
		const held = chosen('7.text');
		for (const id of ['a', 'b', 'a']) {
			const { results } = await search(text(graphs.textToImage), { credential: account(id), ...holding(held) });
			expect(results[0]?.name).toBe(held.cachedResultName);
		}
	});

	it.each([
		['the workflow lacks', text(graphs.textToImage)],
		['has no workflow to be in', ''],
	])('stays, though it is one that %s: the run says so', async (_what, workflow) => {
		const held = chosen('99.gone');
		const { results } = await search(workflow, holding(held));
		expect(results[0]).toMatchObject({ name: held.cachedResultName, value: '99.gone' });
	});

	it('is on the first page, however long the list is', async () => {
		const many = Object.fromEntries(
			Array.from({ length: 300 }, (_none, index) => [String(index + 1), graphs.node('A', `N${index}`, { n: 1 })]),
		);
		const { results } = await search(text(many), holding(chosen('300.n')));
		expect(results[0]).toMatchObject({ value: '300.n' });
	});

	it('is what an entry was chosen with: each has a link, without which n8n would write an empty one', async () => {
		const { results } = await search(text(graphs.textToImage));
		const [{ name, value, url }] = results as [INodeListSearchItems];
		expect(url).toMatch(/^https:.*docs\/workflows\.md$/);
		const again = await search(text(graphs.textToImage), {
			credential: account('another'),
			...holding({ value, cachedResultName: name, cachedResultUrl: url }),
		});
		expect(again.results[0]).toEqual({ name, value, url });
	});

	it('is no entry where it was entered By Name, or is an expression', async () => {
		const plain = await search(text(graphs.textToImage));
		for (const input of [
			{ mode: 'name', value: '7.text' },
			{ mode: 'list', value: '' },
		])
			expect(await search(text(graphs.textToImage), holding(input))).toEqual(plain);
	});

	it('is not looked for among what somebody searches', async () => {
		const { results } = await search(text(graphs.textToImage), { filter: 'steps', ...holding(chosen('7.text')) });
		expect(results).toMatchObject([{ value: '3.steps' }]);
	});
});
