/** What n8n reads of our nodes before a run: the output previews for its editor, and the hints for its AI builder. */
import type { INodeTypeDescription } from 'n8n-workflow';
import { BROWSER_ID } from '../../scripts/n8nHost/rest';
import { operationsOf, readSchema, schemaFileOf } from '../nodes/package/support/schemaFiles';
import { openSession, type Session } from './support/session';

const PACKAGE = 'n8n-nodes-comfy.';
/** n8n adds this operation to nodes that have operations. It calls no operation of the node. */
const ADDED_BY_N8N = '__CUSTOM_API_CALL__';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

const readFromN8n = async (path: string): Promise<Response> =>
	await fetch(`${session.rest.url}${path}`, { headers: { cookie: session.rest.session, 'browser-id': BROWSER_ID } });

/** Of the nodes that are not agents' tools. */
async function readDescriptions(): Promise<INodeTypeDescription[]> {
	const all = (await (await readFromN8n('/types/nodes.json')).json()) as INodeTypeDescription[];
	return all
		.filter(({ name }) => name.startsWith(PACKAGE) && !name.endsWith('Tool'))
		.map((description) => ({ ...description, name: description.name.slice(PACKAGE.length) }));
}

/** The address that the editor builds: all parts that the node has, and the version with three numbers. */
const addressOf = (operation: string): string => {
	const [node, ...parts] = operation.split('/');
	return `/schemas/${[`${PACKAGE}${node}`, '1.0.0', ...parts].join('/')}.json`;
};

test('n8n serves the schema of each operation of each node, and none of the trigger', async () => {
	const descriptions = await readDescriptions();
	expect(descriptions).toHaveLength(9);
	const served = await Promise.all(
		descriptions.flatMap((description) => {
			const operations = operationsOf(description).filter((operation) => !operation.includes(ADDED_BY_N8N));
			return operations.map(async (operation) => {
				const answer = await readFromN8n(addressOf(operation));
				const schema = answer.ok ? ((await answer.json()) as unknown) : answer.status;
				const isTrigger = description.group.includes('trigger');
				return { operation, schema, expected: isTrigger ? 404 : readSchema(schemaFileOf(description, operation)) };
			});
		}),
	);
	expect(served.length).toBeGreaterThan(25);
	for (const { operation, schema, expected } of served) expect([operation, schema]).toEqual([operation, expected]);
});

test('n8n does not serve a schema of an operation that the node does not have', async () => {
	expect((await readFromN8n(addressOf('comfyUploadAsset/upload'))).status).toBe(200);
	expect((await readFromN8n(addressOf('comfyUploadAsset/missing'))).status).toBe(404);
});

test('n8n loads the hints for its AI builder, and knows each node that they name', async () => {
	const descriptions = await readDescriptions();
	const known = descriptions.map(({ name }) => `${PACKAGE}${name}`);
	const named = descriptions.flatMap(({ builderHint }) => builderHint?.relatedNodes?.map(({ nodeType }) => nodeType) ?? []);
	expect(named.length).toBeGreaterThan(5);
	expect(known).toEqual(expect.arrayContaining(named));
});
