/**
 * `npm run generate` writes client/generated/<name>.ts from contract/<name>.yaml; with `-- --check` it writes nothing
 * and fails, naming them, when files there are stale.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const ROOT = join(__dirname, '..');
const CONTRACTS = join(ROOT, 'contract');
const GENERATED = join(ROOT, 'client', 'generated');

async function typesOf(contract: string): Promise<{ name: string; source: string }> {
	const types = await openapiTS(pathToFileURL(join(CONTRACTS, contract)));
	const heading = `/** Generated from contract/${contract} by \`npm run generate\`; not to be edited. */`;
	return { name: `${basename(contract, '.yaml')}.ts`, source: `${heading}\n\n${astToString(types)}` };
}

async function isCurrent(name: string, source: string): Promise<boolean> {
	const written = await readFile(join(GENERATED, name), 'utf8').catch(() => undefined);
	return written === source;
}

async function main(check: boolean): Promise<void> {
	const contracts = (await readdir(CONTRACTS)).filter((name) => name.endsWith('.yaml'));
	await mkdir(GENERATED, { recursive: true });
	for (const { name, source } of await Promise.all(contracts.map(typesOf))) {
		if (await isCurrent(name, source)) continue;
		if (!check) await writeFile(join(GENERATED, name), source);
		else fail(`client/generated/${name} is stale: run \`npm run generate\``);
	}
}

function fail(message: string): void {
	console.error(message);
	process.exitCode = 1;
}

void main(process.argv.includes('--check'));
