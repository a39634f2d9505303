import type { N8nRest } from '../../../scripts/n8nHost/rest';

type Row = Record<string, unknown> & { id: number };

/** A data table of n8n, as its page in the editor uses it. */
export interface DataTable {
	insert(rows: Array<Record<string, string>>): Promise<number[]>;
	/** All rows, sorted by `id`. */
	rows(): Promise<Row[]>;
	update(id: number, data: Record<string, string | null>): Promise<void>;
	deleteRow(id: number): Promise<void>;
	delete(): Promise<void>;
}

/** Requests to n8n's routes for data tables. */
function sender({ url, session }: N8nRest) {
	return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
		const answer = await fetch(`${url}/rest${path}`, {
			method,
			// n8n binds the session to this `browser-id`.
			headers: { 'content-type': 'application/json', 'browser-id': 'n8n-nodes-comfy', cookie: session },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		if (!answer.ok) throw new Error(`n8n answered ${answer.status} to ${method} ${path}: ${await answer.text()}`);
		return ((await answer.json()) as { data: T }).data;
	};
}

const rowFilter = (id: number) => ({ type: 'and', filters: [{ columnName: 'id', condition: 'eq', value: id }] });

/** Creates a table of text columns in the owner's project. */
export async function createDataTable(rest: N8nRest, name: string, columns: string[]): Promise<DataTable> {
	const send = sender(rest);
	const project = await send<{ id: string }>('GET', '/projects/personal');
	const tables = `/projects/${project.id}/data-tables`;
	const { id } = await send<{ id: string }>('POST', tables, { name, columns: columns.map((column) => ({ name: column, type: 'string' })) });
	const table = `${tables}/${id}`;
	return {
		insert: async (data) => (await send<Row[]>('POST', `${table}/insert`, { data, returnType: 'id' })).map((row) => row.id),
		rows: async () => (await send<{ data: Row[] }>('GET', `${table}/rows?take=100&sortBy=id:asc`)).data,
		update: async (row, data) => void (await send('PATCH', `${table}/rows`, { filter: rowFilter(row), data })),
		deleteRow: async (row) => void (await send('DELETE', `${table}/rows?filter=${encodeURIComponent(JSON.stringify(rowFilter(row)))}`)),
		delete: async () => void (await send('DELETE', table)),
	};
}
