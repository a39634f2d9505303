/**
 * The files from which n8n's editor reads the fields of a node before its first run (`resolveOutputSchemaPath` of n8n-core): in
 * the folder of the built node, `__schema__/v1.0.0/<resource>/<operation>.json`. n8n omits each part that the node does not have:
 * a node with operations but without resources has `v1.0.0/<operation>.json`, and one without both has `v1.0.0.json`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { INodeTypeDescription } from 'n8n-workflow';

import { partsOf } from '../../../../scripts/docs/nodePages';
import { projectRoot } from '../../../../scripts/n8nHost/environment';
import type { ItemSchema } from './outputSchema';

const SCHEMAS = '__schema__';

/** n8n reads only the file of exactly this version: of version 1 `v1.0.0`. */
const versionOf = (version: number): string => `v${[...String(version).split('.'), '0', '0'].slice(0, 3).join('.')}`;

const folderOf = (nodeName: string): string => join(projectRoot, 'nodes', nodeName.replace(/^c/, 'C'));

/** Returns the operations of a node as `<node>/[<resource>/]<operation>`, or only its name if it has none. */
export const operationsOf = ({ name, properties }: INodeTypeDescription): string[] =>
	partsOf(properties).map(({ resource, operation }) => [name, resource?.value, operation?.value].filter(Boolean).join('/'));

/** Returns the file of an operation. @param operation as `operationsOf` returns it. */
export function schemaFileOf({ name, version }: INodeTypeDescription, operation: string): string {
	const [, ...parts] = operation.split('/');
	return `${join(folderOf(name), SCHEMAS, versionOf([version].flat()[0] ?? 1), ...parts)}.json`;
}

export const readSchema = (file: string): ItemSchema => JSON.parse(readFileSync(file, 'utf8')) as ItemSchema;

/** Writes one line. `npm run format` breaks it. */
export function writeSchema(file: string, schema: ItemSchema): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, JSON.stringify(schema));
}

/** Returns all files that a node has, also those of operations that it no longer has. */
export function schemaFilesIn({ name }: INodeTypeDescription): string[] {
	const folder = join(folderOf(name), SCHEMAS);
	if (!existsSync(folder)) return [];
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
	return entries.filter((entry) => entry.isFile()).map(({ parentPath, name: file }) => join(parentPath, file));
}
