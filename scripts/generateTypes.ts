/**
 * `npm run generate` writes client/generated/<name>.ts from contract/<name>.yaml: the schemas that the client names, as
 * `V2['Job']`. The client decodes each value on its own, so a field that contains another schema, a list, or an object
 * without fields of its own is `unknown`. Descriptions stay in the contract. With `-- --check` it writes nothing and fails,
 * naming them, when files there are stale.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import openapiTS, { astToString, type OpenAPI3, type ReferenceObject, type SchemaObject } from 'openapi-typescript';
import { parse } from 'yaml';

const ROOT = join(__dirname, '..');
const CONTRACTS = join(ROOT, 'contract');
const CLIENT = join(ROOT, 'client');
const GENERATED = join(CLIENT, 'generated');

type Schemas = Record<string, SchemaObject>;
interface Contract extends OpenAPI3 {
	components: { schemas: Schemas };
}

/** @returns undefined for a contract of which the client names nothing. */
async function typesOf(contract: string, sources: string): Promise<{ path: string; source: string } | undefined> {
	const name = basename(contract, '.yaml');
	const typeName = name.charAt(0).toUpperCase() + name.slice(1);
	const { info, components } = parse(await readFile(join(CONTRACTS, contract), 'utf8'), { merge: true, maxAliasCount: -1 }) as Contract;
	const named = [...sources.matchAll(new RegExp(`\\b${typeName}\\['(\\w+)'\\]`, 'g'))].map(([, schema = '']) => schema);
	if (named.length === 0) return undefined;
	const schemas = usedSchemas(components.schemas, named);
	const nodes = await openapiTS({ openapi: '3.1.0', info, paths: {}, components: { schemas } });
	const [types] = astToString(nodes, { formatOptions: { removeComments: true } }).match(SCHEMAS) ?? [];
	const body = (types ?? '').replaceAll(/^ {4}/gm, '').replace('schemas:', `export interface ${typeName}`).replace(/;$/, '');
	const heading = `/** Generated from contract/${contract} by \`npm run generate\`; not to be edited. */`;
	return { path: join(GENERATED, `${name}.ts`), source: `${heading}\n\n${body.replaceAll('components["schemas"]', typeName)}\n` };
}

/** Of all that openapi-typescript writes. */
const SCHEMAS = /^ {4}schemas: \{$[^]*?^ {4}\};$/m;

/** Returns the named schemas, and those whose fields they take over, in the contract's order. */
function usedSchemas(schemas: Schemas, names: readonly string[]): Schemas {
	const used = new Set(names);
	for (const name of used) {
		for (const base of schemas[name]?.allOf ?? []) if ('$ref' in base) used.add(basename(base.$ref));
	}
	const entries = Object.entries(schemas).filter(([name]) => used.has(name));
	return Object.fromEntries(entries.map(([name, schema]) => [name, withSimpleFields(schema)]));
}

const ANY_VALUE = {} as SchemaObject;
const SIMPLE_TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'null']);

/** Returns a schema that allows any value for each field that contains another schema, a list, or an object without fields of its own. */
function withSimpleFields(schema: SchemaObject | ReferenceObject): SchemaObject {
	if ('$ref' in schema) return ANY_VALUE;
	const { type = [], const: constant, properties, allOf } = schema as SchemaObject & { properties?: Schemas };
	if (properties !== undefined || allOf !== undefined) {
		const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, withSimpleFields(field)] as const);
		const bases = allOf?.map((base) => ('$ref' in base ? base : withSimpleFields(base)));
		return { ...schema, properties: Object.fromEntries(fields), ...(bases && { allOf: bases }) } as SchemaObject;
	}
	const types = [type].flat();
	const isSimple = constant !== undefined || (types.length > 0 && types.every((one) => SIMPLE_TYPES.has(one)));
	return isSimple ? schema : ANY_VALUE;
}

async function clientSources(): Promise<string> {
	const paths = (await readdir(CLIENT, { recursive: true })).map((path) => join(CLIENT, path));
	const sources = paths.filter((path) => path.endsWith('.ts') && !path.startsWith(GENERATED));
	return (await Promise.all(sources.map(async (path) => await readFile(path, 'utf8')))).join('\n');
}

async function main(check: boolean): Promise<void> {
	const contracts = (await readdir(CONTRACTS)).filter((name) => name.endsWith('.yaml'));
	const sources = await clientSources();
	const made = (await Promise.all(contracts.map(async (contract) => await typesOf(contract, sources)))).filter((one) => one !== undefined);
	const wanted = new Map(made.map(({ path, source }) => [path, source]));
	const present = (await readdir(GENERATED)).map((name) => join(GENERATED, name));
	for (const path of new Set([...wanted.keys(), ...present])) {
		const source = wanted.get(path);
		if ((await readFile(path, 'utf8').catch(() => undefined)) === source) continue;
		if (check) fail(`${relative(ROOT, path)} is stale: run \`npm run generate\``);
		else if (source === undefined) await rm(path);
		else await writeFile(path, source);
	}
}

function fail(message: string): void {
	console.error(message);
	process.exitCode = 1;
}

void main(process.argv.includes('--check'));
