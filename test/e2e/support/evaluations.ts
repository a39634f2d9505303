import type { N8nRest } from '../../../scripts/n8nHost/rest';
import { until } from './until';

interface TestRun {
	status: string;
	errorCode?: string | null;
	errorDetails?: unknown;
	/** The average of each metric. */
	metrics?: Record<string, number> | null;
}

interface TestCase {
	status: string;
	metrics?: Record<string, number> | null;
	outputs?: Record<string, unknown> | null;
}

/** A request to n8n's editor interface, for routes that only this file uses. */
async function send<T>({ url, session }: N8nRest, method: string, path: string, body?: unknown): Promise<T> {
	const answer = await fetch(`${url}/rest${path}`, {
		method,
		// n8n binds the session to this `browser-id`.
		headers: { 'content-type': 'application/json', 'browser-id': 'n8n-nodes-comfy', cookie: session },
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	if (!answer.ok) throw new Error(`n8n answered ${answer.status} to ${method} ${path}: ${await answer.text()}`);
	return (await answer.json()) as T;
}

export interface PromptTable {
	id: string;
	/** All rows, in the order in which they were inserted. */
	rows(): Promise<Array<Record<string, unknown>>>;
	delete(): Promise<void>;
}

/** A data table with one text column, `prompt`. */
export async function createPromptTable(rest: N8nRest, name: string, prompts: string[]): Promise<PromptTable> {
	const { data: project } = await send<{ data: { id: string } }>(rest, 'GET', '/projects/personal');
	const tables = `/projects/${project.id}/data-tables`;
	const { data: table } = await send<{ data: { id: string } }>(rest, 'POST', tables, {
		name,
		columns: [{ name: 'prompt', type: 'string' }],
	});
	const path = `${tables}/${table.id}`;
	await send(rest, 'POST', `${path}/insert`, { data: prompts.map((prompt) => ({ prompt })), returnType: 'id' });
	return {
		id: table.id,
		rows: async () =>
			(await send<{ data: { data: Array<Record<string, unknown>> } }>(rest, 'GET', `${path}/rows?take=100&sortBy=id:asc`)).data.data,
		delete: async () => void (await send(rest, 'DELETE', path)),
	};
}

/** As *Run evaluation* on the tab *Evaluations*. Resolves when the evaluation has ended. */
export async function evaluate(rest: N8nRest, workflowId: string): Promise<{ run: TestRun; cases: TestCase[] }> {
	const runs = `/workflows/${workflowId}/test-runs`;
	const { testRunId } = await send<{ testRunId: string }>(rest, 'POST', `${runs}/new`, {});
	const run = await until('the end of the evaluation', async () => {
		const { data } = await send<{ data: TestRun }>(rest, 'GET', `${runs}/${testRunId}`);
		return ['new', 'running'].includes(data.status) ? undefined : data;
	});
	return { run, cases: (await send<{ data: TestCase[] }>(rest, 'GET', `${runs}/${testRunId}/test-cases`)).data };
}
