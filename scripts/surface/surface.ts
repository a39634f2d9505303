import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ICredentialType, INodeTypeDescription } from 'n8n-workflow';

import * as client from '../../client';
import { engineSentences } from '../../nodes/shared/messages/tables/engine';
import { routerSentences } from '../../nodes/shared/messages/tables/router';
import { v1Sentences } from '../../nodes/shared/messages/tables/v1';
import { v2Sentences } from '../../nodes/shared/messages/tables/v2';
import { readPage } from '../docs/nodePages';
import { projectRoot } from '../n8nHost/paths';
import { fieldsOf } from './fieldsOf';
import { parametersOf } from './parameters';

export const SURFACE_FILE = join(projectRoot, 'test/package/surface.json');

const tables = { v2: v2Sentences, v1: v1Sentences, engine: engineSentences, router: routerSentences };

/** The item on the page of a node, which a test holds against a real one. */
function itemOf(nodeName: string): string[] {
	const [, text] = /```json\n([\s\S]*?)```/.exec(readPage(nodeName)) ?? [];
	if (text === undefined) throw new Error(`The page of ${nodeName} shows no item`);
	return fieldsOf(JSON.parse(text)).sort();
}

function nodeSurface(description: INodeTypeDescription): object {
	const { name, version, inputs, outputs, outputNames = [], credentials = [], properties } = description;
	const ends = Array.isArray(outputs) ? outputs : [outputs];
	return {
		versions: [version].flat(),
		inputs,
		outputs: Object.fromEntries(ends.map((end, index) => [index, `${outputNames[index] ?? ''} (${String(end)})`.trim()])),
		credentials: credentials.map((one) => one.name),
		parameters: parametersOf(properties),
		item: itemOf(name),
	};
}

type ErrorClass = abstract new (...all: never[]) => Error;

const isError = (one: unknown): one is ErrorClass => typeof one === 'function' && one.prototype instanceof client.ComfyError;

/** As failures tell them: by the names of errors that leave the client. */
function kinds(): string[] {
	const classes = Object.values<unknown>(client).filter(isError);
	return [...new Set(classes.map(({ prototype }) => (Object.create(prototype) as Error).name))].sort();
}

const asJson = (value: object): object => JSON.parse(JSON.stringify(value)) as object;

/** All that a workflow of somebody's may rely on. */
export function surfaceOf(nodes: readonly INodeTypeDescription[], credentials: readonly ICredentialType[]): object {
	return asJson({
		nodes: Object.fromEntries(nodes.map((description) => [description.name, nodeSurface(description)])),
		credentials: Object.fromEntries(credentials.map(({ name, properties }) => [name, parametersOf(properties)])),
		failures: {
			fields: ['error', 'error_description', 'error_facts', 'error_facts.kind', 'error_facts.code', 'error_facts.http_status'],
			kinds: kinds().sort(),
			codes: Object.fromEntries(Object.entries(tables).map(([name, sentences]) => [name, Object.keys(sentences).sort()])),
		},
	});
}

export const promisedSurface = (): unknown => JSON.parse(readFileSync(SURFACE_FILE, 'utf8'));
