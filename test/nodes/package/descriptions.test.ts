import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodeTypeDescription,
	NodeHelpers,
} from 'n8n-workflow';

import { ComfyApi } from '../../../credentials/ComfyApi.credentials';
import { ComfyRouterJwtApi } from '../../../credentials/ComfyRouterJwtApi.credentials';
import { ComfySelfHostedApi } from '../../../credentials/ComfySelfHostedApi.credentials';
import { ComfyProgressTrigger } from '../../../nodes/ComfyProgressTrigger/ComfyProgressTrigger.node';
import { readOptions, readPage, renderOptions, renderPage } from '../../../scripts/docs/nodePages';
import { nodes as regularNodes } from '../support/engine';

const nodes = { ...regularNodes, comfyProgressTrigger: new ComfyProgressTrigger() };

const root = join(__dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
	n8n: { nodes: string[]; credentials: string[] };
};

const everyField = (properties: INodeProperties[]): INodeProperties[] =>
	properties.flatMap((one) => (one.type === 'collection' ? [one, ...(one.options as INodeProperties[])] : [one]));
const withRows = (properties: INodeProperties[]): INodeProperties[] =>
	properties.flatMap((one) =>
		one.type === 'fixedCollection' ? [one, ...(one.options as INodePropertyCollection[]).flatMap(({ values }) => values)] : [one],
	);

it('masks every secret field', () => {
	const fields = [new ComfyApi(), new ComfyRouterJwtApi(), new ComfySelfHostedApi()].flatMap(({ properties }) => withRows(properties));
	const masked = fields.filter(({ typeOptions }) => typeOptions?.password === true).map(({ name }) => name);
	expect(masked).toEqual([
		'apiKey',
		'partnerApiKey',
		'partnerAuthToken',
		'token',
		'password',
		'bearerToken',
		'value',
		'password',
		'bearerToken',
		'engineAuthorizationSecret',
		'token',
		'partnerApiKey',
		'partnerAuthToken',
	]);
});

/** The node with these parameters, and all others as n8n fills them in. */
const filledNode = ({ name, properties }: INodeTypeDescription, parameters: INodeParameters): INode => {
	const node: INode = { id: '1', name, type: name, typeVersion: 1, position: [0, 0], parameters };
	return { ...node, parameters: NodeHelpers.getNodeParameters(properties, parameters, true, false, node, null) ?? {} };
};
const shownIn = (description: INodeTypeDescription, node: INode): INodeProperties[] =>
	description.properties.filter((one) => NodeHelpers.displayParameter(node.parameters, one, node, description));

it.each(['comfyRunWorkflow', 'comfySubmitWorkflow'] as const)(
	'a fresh %s asks for a saved workflow, and has no issue with any Workflow From',
	(name) => {
		const { description } = regularNodes[name];
		const fresh = filledNode(description, {});
		expect(fresh.parameters.workflowSource).toBe('saved');
		const shown = shownIn(description, fresh).map(({ displayName }) => displayName);
		expect(shown).toEqual(expect.arrayContaining(['Workflow From', 'Saved Workflow']));
		expect(shown).not.toContain('Workflow');
		for (const workflowSource of ['saved', 'json', 'file', 'job']) {
			const node = filledNode(description, { workflowSource });
			expect(NodeHelpers.getNodeParametersIssues(description.properties, node, description)).toBeNull();
		}
		expect(description.properties.find(({ name }) => name === 'workflow')?.hint).toContain('File > Export (API)');
	},
);

const folderOf = (node: string): string => join(root, 'nodes', node.charAt(0).toUpperCase() + node.slice(1));

interface Codex {
	node: string;
	categories: string[];
	subcategories?: Record<string, string[]>;
	alias: string[];
}
const codexOf = (node: string): Codex =>
	JSON.parse(readFileSync(join(folderOf(node), `${folderOf(node).split('/').pop()}.node.json`), 'utf8')) as Codex;

const drawings: string[] = [];

describe.each(Object.entries(nodes))('%s', (name, { description }) => {
	const folder = folderOf(name);

	it('has a subtitle, its own drawing for light and dark, and an entry in package.json', () => {
		expect(description.subtitle).toBeTruthy();
		const { light, dark } = description.icon as { light: string; dark: string };
		for (const file of [light, dark]) {
			const drawing = readFileSync(join(folder, file.replace('file:', '')), 'utf8');
			expect(drawings).not.toContain(drawing);
			drawings.push(drawing);
		}
		expect(manifest.n8n.nodes.some((file) => file.toLowerCase().endsWith(`/${name}.node.js`.toLowerCase()))).toBe(true);
	});

	it('is found by "comfy" in every view of the node creator, as a root node in the AI category', () => {
		const codex = codexOf(name);
		expect(codex.node).toBe(`n8n-nodes-comfy.${name}`);
		expect(codex.categories).toContain('AI');
		expect(codex.subcategories).toEqual({ AI: ['Root Nodes'] });
		expect(codex.alias).toEqual(expect.arrayContaining(['ComfyUI', 'Comfy']));
	});

	it('chooses one of both credentials, each tested by a function of the node', () => {
		const chosen = description.properties.find((one) => one.name === 'authentication');
		expect(chosen?.options?.map((one) => 'value' in one && one.value)).toEqual([
			'comfyApi',
			name === 'comfyRunRouterModel' ? 'comfyRouterJwtApi' : 'comfySelfHostedApi',
		]);
		const functions: Record<string, unknown> = nodes[name as keyof typeof nodes].methods.credentialTest;
		for (const { testedBy } of description.credentials ?? []) expect(functions[testedBy as string]).toBeInstanceOf(Function);
	});
});

it.each(Object.entries(regularNodes))('%s is also an AI tool, and offers Concurrency', (_, { description }) => {
	expect(description.usableAsTool).toBe(true);
	expect(everyField(description.properties).map(({ name }) => name)).toContain('concurrency');
});

const descriptions = Object.values(nodes).map(({ description }) => description);

it('the page of the options of several nodes says what the nodes say; if not: npm run docs', () => {
	const page = readOptions();
	expect(page).toBe(renderOptions(page, descriptions));
	expect(page).toContain('| **Options > Idempotency Key** |');
});

it.each(descriptions.map((description) => [description.displayName, description] as const))(
	'the page of %s says what the node says; if not: npm run docs',
	(displayName, description) => {
		const page = readPage(description.name);
		expect(page).toBe(renderPage(page, description, descriptions));
		expect(page).toMatch(new RegExp(`^# ${displayName}\n`));
	},
);

test('the pages show what applies without an option, not the value that it has after it is added', () => {
	const page = readPage('comfyRunRouterModel') + readOptions();
	expect(page).toMatch(/\| \*\*Options > Limit Runs Per Execution\*\* \| no limit \|/);
	expect(page).toMatch(/\| \*\*Options > Concurrency\*\* \| `\d+` \|/);
});
