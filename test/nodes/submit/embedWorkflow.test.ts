/** The option *Embed Workflow In Outputs*. */
import type { IDataObject } from 'n8n-workflow';

import { editorFile, exportedFile } from '../support/editorFiles';
import { runNode } from '../support/engine';
import { credentialFor, type Way } from '../support/flavours';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitRun } from '../support/submit';

const sandbox = sharedSandbox();
let color = 9_000;

const COLORS = { inputValues: '={{ { "1": { color: $json.color } } }}', concurrency: 1 };
const submitColors = (way: Way, workflow: unknown, options: IDataObject, ...colors: number[]) =>
	submitRun(credentialFor(sandbox, way), workflow, {
		items: colors.map((one) => ({ json: { color: one } })),
		parameters: { options: { ...COLORS, ...options } },
	});

interface SentWorkflow {
	id: string;
	nodes: Array<{ widgets_values: unknown[] }>;
}

interface SentData {
	extra_pnginfo?: { workflow?: SentWorkflow; note?: string };
}

const sentData = (): SentData[] =>
	sandbox
		.requests()
		.filter(({ method, path }) => method === 'POST' && /prompt|jobs/.test(path))
		.map(({ bodyText }) => (JSON.parse(bodyText) as { extra_data?: SentData }).extra_data ?? {});
const sentValues = () => sentData().map(({ extra_pnginfo: info }) => info?.workflow?.nodes.map((node) => node.widgets_values));

const NOTE = ['For the person who opens it'];
const valuesWith = (one: number) => [[16, 8, 1, one], ['from-editor'], NOTE];

describe.each(['engine', 'v1'] as const)('on %s', (way) => {
	it('each of two items sends the workflow with its own values, which n8n does not store', async () => {
		const [one, other] = [(color += 1), (color += 1)];
		const result = await runNode(submitColors(way, editorFile(1), {}, one, other));
		expect(result.error).toBeUndefined();
		expect(sentValues()).toEqual([valuesWith(one), valuesWith(other)]);
		expect(jsons(result)).toHaveLength(2);
		expect(result.stored).not.toContain('For the person who opens it');
	});

	it('a workflow in API format has no file of the editor, so nothing is sent for two items', async () => {
		const result = await runNode(submitColors(way, exportedFile(1), {}, (color += 1), (color += 1)));
		expect(result.error).toBeUndefined();
		expect(sentData().map((data) => 'extra_pnginfo' in data)).toEqual([false, false]);
	});
});

it('each item decides whether its texts and notes are sent, or no workflow', async () => {
	const options = { embedWorkflow: '={{ ["yes", "withoutTexts", "no"][$itemIndex] }}' };
	const colors = [(color += 1), (color += 1), (color += 1)] as const;
	expect((await runNode(submitColors('engine', editorFile(1), options, ...colors))).error).toBeUndefined();
	expect(sentValues()).toEqual([valuesWith(colors[0]), [[16, 8, 1, colors[1]], ['from-editor'], ['']], undefined]);
});

it('the user’s own extra data stays, and takes precedence over the workflow', async () => {
	const own = '={{ [{ extra_pnginfo: { note: "mine" } }, { extra_pnginfo: { workflow: { nodes: [] } } }][$itemIndex] }}';
	const [one, other] = [(color += 1), (color += 1)];
	expect((await runNode(submitColors('engine', editorFile(1), { extraData: own }, one, other))).error).toBeUndefined();
	expect(sentValues()).toEqual([valuesWith(one), []]);
	expect(sentData().map(({ extra_pnginfo: info }) => info?.note)).toEqual(['mine', undefined]);
});

it('the API proxy rejects the workflow once, and each of two items has one job', async () => {
	const result = await runNode(submitColors('self_hosted', editorFile(1), {}, (color += 1), (color += 1)));
	expect(result.error).toBeUndefined();
	expect(sentValues().map((values) => values !== undefined)).toEqual([true, false, false]);
	expect(new Set(jsons(result).map(({ job_id }) => job_id)).size).toBe(2);
});

it('a workflow of more than 512 KB is not sent, and its jobs run', async () => {
	const large = editorFile(1, { extra: { filler: 'x'.repeat(512 * 1024) } });
	const result = await runNode(submitColors('engine', large, {}, (color += 1), (color += 1)));
	expect(result.error).toBeUndefined();
	expect(sentData().map((data) => 'extra_pnginfo' in data)).toEqual([false, false]);
});

it('a choice that the option does not have is reported, and nothing is sent', async () => {
	const result = await runNode(submitColors('engine', editorFile(1), { embedWorkflow: 'maybe' }, (color += 1)));
	expect(result.error?.message).toContain('Embed Workflow In Outputs');
	expect(sentData()).toEqual([]);
});
