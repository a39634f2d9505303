/** The sandbox's engine answers and sends what a real one did. */
import { startSandbox, type Sandbox } from '../../../sandbox';
import { Listener } from '../v1/listener';
import { ask, type Recorded } from './compare';
import { recorded, recordedEntry, recordedFrames } from './recorded';
import { recordedIndexFields, recordedLibrary, recordedManyUsers } from './recordedLibrary';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(async () => await sandbox.close());

const title = ({ on, name }: Recorded): string => (name === undefined ? on : `${on}: ${name}`);

test.each(recorded.map((row) => [title(row), row] as const))('%s', async (_, row) => {
	expect(await ask(sandbox.urls.engine, row)).toEqual(row.answer);
});

test('the frames and the history of one run', async () => {
	const other = await startSandbox({ progressIntervalMs: 5 });
	const { engine } = other.urls;
	const listener = await Listener.open(`${engine}/ws?clientId=listener`);
	const prompt = {
		1: { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 3 } },
		2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'probe/x' } },
	};
	const { prompt_id } = (await (
		await fetch(`${engine}/prompt`, { method: 'POST', body: JSON.stringify({ prompt, client_id: 'listener' }) })
	).json()) as { prompt_id: string };
	await listener.ended(prompt_id);
	const history = (await (await fetch(`${engine}/history/${prompt_id}`)).json()) as Record<string, unknown>;
	await listener.close();
	await other.close();

	// The engine says twice that the queue has one prompt, the second time in a thread of its own: before its start or after it.
	const isSecond = ({ type, data }: { type: string; data: unknown }, place: number) =>
		type === 'status' && JSON.stringify(data).includes(':1}') && place > 1;
	expect(listener.texts.filter((frame, place) => !isSecond(frame, place))).toEqual(recordedFrames);
	expect(history).toEqual({ [prompt_id]: recordedEntry(prompt) });
});

/** The sandbox's engine keeps files for the editor as a real one does. */
describe('files for the editor', () => {
	beforeAll(async () => {
		sandbox = await startSandbox({ engineUserdataTimes: 'seconds' });
	});
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
		const [, , listed] = (await ask(sandbox.urls.engine, {
			on: 'GET /userdata?dir=workflows&full_info=true',
			answer: [200, null, ''],
		})) as [number, string, Array<Record<string, number>>];
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
});
