/** The sandbox's engine keeps files for the editor as a real one does. */
import { startSandbox, type Sandbox } from '../../../sandbox';
import { ask, type Recorded } from './compare';
import { recordedIndexFields, recordedLibrary, recordedManyUsers } from './recordedLibrary';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ engineUserdataTimes: 'seconds' });
});
afterAll(async () => await sandbox.close());

const title = ({ on, name }: Recorded): string => (name === undefined ? on : `${on}: ${name}`);
const titled = (rows: Recorded[]) => rows.map((row) => [title(row), row] as const);

test.each(titled(recordedLibrary))('%s', async (_, row) => {
	expect(await ask(sandbox.urls.engine, row)).toEqual(row.answer);
});

test.each(titled(recordedManyUsers))('of several users: %s', async (_, row) => {
	sandbox.configure({ engineUsers: { ann_1: 'Ann' } });
	expect(await ask(sandbox.urls.engine, row)).toEqual(row.answer);
	sandbox.configure({ engineUsers: null });
});

test.each([
	['seconds', 1e9, 1e11],
	['milliseconds', 1e12, 1e14],
] as const)('times in %s', async (engineUserdataTimes, from, to) => {
	sandbox.configure({ engineUserdataTimes });
	sandbox.saveWorkflow('timed.json', {});
	const [, , listed] = (await ask(sandbox.urls.engine, { on: 'GET /userdata?dir=workflows&full_info=true', answer: [200, null, ''] })) as [
		number,
		string,
		Array<Record<string, number>>,
	];
	for (const field of ['modified', 'created']) {
		expect(listed[0]?.[field]).toBeGreaterThan(from);
		expect(listed[0]?.[field]).toBeLessThan(to);
	}
});

test('the index of templates has the real fields', async () => {
	const [status, contentType, index] = (await ask(sandbox.urls.engine, { on: 'GET /templates/index.json', answer: [200, null, ''] })) as [
		number,
		string,
		Array<{ templates: object[] }>,
	];
	expect([status, contentType]).toEqual([200, recordedIndexFields.contentType]);
	for (const group of index) {
		expect(Object.keys(group)).toEqual(recordedIndexFields.group);
		for (const template of group.templates) expect(Object.keys(template)).toEqual(recordedIndexFields.template);
	}
});
