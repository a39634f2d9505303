/** The sandbox's engine answers and sends what a real one did. */
import { startSandbox, type Sandbox } from '../../../sandbox';
import { Listener } from '../v1/listener';
import { ask, type Recorded } from './compare';
import { recorded, recordedEntry, recordedFrames } from './recorded';

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
