import { validateNodeDescription } from 'n8n-core/dist/nodes-loader/validate-node-description';
import type { INodeTypeDescription } from 'n8n-workflow';

import { ComfyProgressTrigger } from '../../../nodes/ComfyProgressTrigger/ComfyProgressTrigger.node';
import packageJson from '../../../package.json';
import { nodes } from '../support/engine';

const descriptions: INodeTypeDescription[] = [...Object.values(nodes), new ComfyProgressTrigger()].map(({ description }) => description);
const byType = new Map(descriptions.map((description) => [`${packageJson.name}.${description.name}`, description]));
const hinted = descriptions.filter(({ builderHint }) => builderHint !== undefined);
const textsOf = ({ builderHint: { searchHint = '', relatedNodes = [] } = {} }: INodeTypeDescription): string[] => [
	searchHint,
	...relatedNodes.map(({ relationHint }) => relationHint),
];

it.each(descriptions)('n8n accepts the description of $name', (description) => {
	expect(() => validateNodeDescription(description)).not.toThrow();
});

it('n8n rejects a hint on the field Operation, so the check above checks hints', () => {
	const [operation] = nodes.comfyUploadAsset.description.properties.filter(({ name }) => name === 'operation');
	const properties = [{ ...operation!, builderHint: { propertyHint: 'a' } }];
	expect(() => validateNodeDescription({ ...nodes.comfyUploadAsset.description, properties })).toThrow('builderHint');
});

it('the nodes of one job name each other, and each named node exists', () => {
	expect(hinted.map(({ name }) => name).sort()).toEqual([
		'comfyDownloadOutputs',
		'comfyRunWorkflow',
		'comfySubmitWorkflow',
		'comfyUploadAsset',
		'comfyWaitForJob',
	]);
	for (const { name, builderHint } of hinted) {
		const types = builderHint?.relatedNodes?.map(({ nodeType }) => nodeType) ?? [];
		expect([name, types.length > 0, types.filter((type) => !byType.has(type))]).toEqual([name, true, []]);
	}
});

it('each output that a hint names is an output of the node, or of the node that the hint is about', () => {
	const named = hinted.flatMap((description) =>
		textsOf(description).flatMap((text) =>
			[...text.matchAll(/utput (\d) \(([\w ]+)\)/g)].map(([, index, name]) => ({ of: description.name, index: Number(index), name })),
		),
	);
	expect(named.length).toBeGreaterThan(5);
	const outputs = nodes.comfyRunWorkflow.description.outputNames;
	expect(nodes.comfyWaitForJob.description.outputNames).toEqual(outputs);
	for (const { of, index, name } of named) expect([of, name]).toEqual([of, outputs?.[index]]);
});

it('each node and each value that a hint names exists', () => {
	const titles = descriptions.map(({ displayName }) => displayName);
	for (const text of hinted.flatMap(textsOf)) {
		const unknown = [...text.matchAll(/Comfy(?: [A-Z]\w+)+/g)].filter(([title]) => !titles.includes(title));
		expect([text, unknown]).toEqual([text, []]);
	}
	for (const { description } of [nodes.comfyRunWorkflow, nodes.comfySubmitWorkflow]) {
		const source = description.properties.find(({ name }) => name === 'workflowSource');
		expect(source?.options).toContainEqual(expect.objectContaining({ value: 'json' }));
	}
});
