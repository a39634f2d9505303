import type { N8nRest } from '../../../scripts/n8nHost/rest';

type Row = Record<string, unknown> & { id: number };

/** A data table of n8n, as its page in the editor uses it. */
export interface DataTable {
	id: string;
	insert(rows: Array<Record<string, string>>): Promise<number[]>;
	/** All rows, sorted by `id`. */
	rows(): Promise<Row[]>;
	update(id: number, data: Record<string, string | null>): Promise<void>;
	deleteRow(id: number): Promise<void>;
	delete(): Promise<void>;
}

const rowFilter = (id: number) => ({ type: 'and', filters: [{ columnName: 'id', condition: 'eq', value: id }] });

/** Creates a table of text columns in the owner's project. */
export async function createDataTable(rest: N8nRest, name: string, columns: string[]): Promise<DataTable> {
	const project = await rest.send<{ id: string }>('GET', '/projects/personal');
	const tables = `/projects/${project.id}/data-tables`;
	const { id } = await rest.send<{ id: string }>('POST', tables, {
		name,
		columns: columns.map((column) => ({ name: column, type: 'string' })),
	});
	const table = `${tables}/${id}`;
	return {
		id,
		insert: async (data) => (await rest.send<Row[]>('POST', `${table}/insert`, { data, returnType: 'id' })).map((row) => row.id),
		rows: async () => (await rest.send<{ data: Row[] }>('GET', `${table}/rows?take=100&sortBy=id:asc`)).data,
		update: async (row, data) => void (await rest.send('PATCH', `${table}/rows`, { filter: rowFilter(row), data })),
		deleteRow: async (row) =>
			void (await rest.send('DELETE', `${table}/rows?filter=${encodeURIComponent(JSON.stringify(rowFilter(row)))}`)),
		delete: async () => void (await rest.send('DELETE', table)),
	};
}
