/** What a node makes of the table of its operations. Each operation is entered there once. */
import type { INodeProperties } from 'n8n-workflow';

import type { Connection } from '../../../client';
import type { ServiceCredential } from '../credentials';
import type { Operation } from '../operation';
import { toolDescription } from './asTool';
import { showForResource } from './common';

/** An operation, and how the editor and an agent see it. */
export interface OfferedOperation<Settings, ConnectionType = Connection, Credential = ServiceCredential> extends Operation<
	Settings,
	ConnectionType,
	Credential
> {
	/** Its entry in the list *Operation*. `action` is its name where n8n lists the actions of a node. */
	menu: { name: string; action: string; description: string };
	/** What a model reads about it if the node is a tool. */
	toolText?: string;
	/** Its fields. Operations that share fields have the same ones. */
	description: INodeProperties[];
}

/** By resource, then by name. The resource of a node without resources is an empty text. */
export type OperationTable<ConnectionType = Connection, Credential = ServiceCredential> = Record<
	string,
	Record<string, OfferedOperation<unknown, ConnectionType, Credential>>
>;

/** Returns the field *Operation* of a node or of one of its resources, sorted as n8n requires. */
export const operationField = (
	operations: Record<string, Pick<OfferedOperation<never, never, never>, 'menu'>>,
	defaultOperation: string,
	resource?: string,
): INodeProperties => ({
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	...(resource !== undefined && { displayOptions: { show: { resource: [resource] } } }),
	options: Object.entries(operations)
		.map(([value, { menu }]) => ({ name: menu.name, value, action: menu.action, description: menu.description }))
		.sort((one, other) => one.name.localeCompare(other.name)),
	default: defaultOperation,
});

const listAll = <ConnectionType, Credential>(table: OperationTable<ConnectionType, Credential>) =>
	Object.entries(table).flatMap(([resource, operations]) =>
		Object.entries(operations).map(([name, operation]) => ({ resource, name, operation })),
	);

/** Returns the fields of all operations, each once. */
export const operationFields = <ConnectionType, Credential>(table: OperationTable<ConnectionType, Credential>): INodeProperties[] => [
	...new Set(listAll(table).flatMap(({ operation }) => operation.description)),
];

export const toolDescriptions = <ConnectionType, Credential>(table: OperationTable<ConnectionType, Credential>): INodeProperties[] =>
	listAll(table).flatMap(({ resource, name, operation: { toolText } }) =>
		toolText === undefined ? [] : toolDescription(toolText, showForResource(resource, name).show),
	);

/** Returns the operations as `runItems` takes them. */
export const runnable = <ConnectionType, Credential>(
	table: OperationTable<ConnectionType, Credential>,
): Record<string, Operation<unknown, ConnectionType, Credential>> =>
	Object.fromEntries(listAll(table).map(({ resource, name, operation }) => [resource === '' ? name : `${resource}:${name}`, operation]));
