import { ComfyProgressTrigger } from '../../../nodes/ComfyProgressTrigger/ComfyProgressTrigger.node';
import { nodes } from '../support/engine';
import { sharedSandbox } from '../support/sandbox';
import { schemaOf } from './support/outputSchema';
import { itemsOfJobs } from './support/realItems/ofJobs';
import { itemsOfManageJobs } from './support/realItems/ofManageJobs';
import { itemsOfRouter } from './support/realItems/ofRouter';
import { operationsOf, readSchema, schemaFileOf, schemaFilesIn, writeSchema } from './support/schemaFiles';

const sandbox = sharedSandbox();
const realItems = { ...itemsOfJobs(sandbox), ...itemsOfManageJobs(sandbox), ...itemsOfRouter(sandbox) };

const fileOf = Object.fromEntries(
	Object.values(nodes).flatMap(({ description }) =>
		operationsOf(description).map((operation) => [operation, schemaFileOf(description, operation)]),
	),
);

describe.each(Object.keys(fileOf))('the schema of %s', (operation) => {
	const file = fileOf[operation] ?? '';

	it('has each field that all real items have, with each of its types; if not: WRITE_SCHEMAS=1 npx jest outputSchemas', async () => {
		const schema = schemaOf(await (realItems[operation] ?? (async () => await Promise.resolve([])))());
		if (process.env.WRITE_SCHEMAS) writeSchema(file, schema);
		expect(readSchema(file)).toEqual(schema);
	});

	it('is an object with fields, because n8n rejects any other schema', () => {
		const { type, properties = {} } = readSchema(file);
		expect([type, Object.keys(properties).length > 0]).toEqual(['object', true]);
	});
});

it('every operation has one file, and no file is left of an operation that no longer exists', () => {
	const files = Object.values(nodes).flatMap(({ description }) => schemaFilesIn(description));
	expect(files.sort()).toEqual(Object.values(fileOf).sort());
	expect(Object.keys(realItems).sort()).toEqual(Object.keys(fileOf).sort());
});

it('the trigger has none, because n8n never asks for one', () => {
	expect(schemaFilesIn(new ComfyProgressTrigger().description)).toEqual([]);
});

it.each([
	['a field that one of two items lacks is not promised', [{ id: 'a', text: 'b' }, { id: 'c' }], { id: { type: 'string' } }],
	['a field that can be null has null as its last type', [{ id: null }, { id: 'a' }], { id: { type: ['string', 'null'] } }],
	[
		'of entries in lists, the fields are those that all entries of all items have',
		[{ files: [{ name: 'a', size: 1 }] }, { files: [] }, { files: [{ name: 'b' }] }],
		{ files: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } } },
	],
	['data of a workflow is not promised', [{ seeds: { '3.seed': 1 } }, { seeds: { '3.seed': 2 } }], { seeds: { type: 'object' } }],
])('%s', (_, items, properties) => expect(schemaOf(items)).toEqual({ type: 'object', properties }));
