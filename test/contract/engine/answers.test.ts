/**
 * The sandbox's engine answers and sends what a real one did, and the recorded answers have the form that contract/engine.yaml
 * and contract/library.yaml give them.
 */
import { type Sandbox, startSandbox } from '../../../sandbox';
import { Contract } from '../contract';
import { Listener } from '../listener';
import { ask, type Recorded, recorded, recordedEntry, recordedFrames } from './recorded';
import { recordedLibrary, recordedManyUsers } from './recordedLibrary';

const contracts = ['engine.yaml', 'library.yaml'].map((file) => new Contract(file));
let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ engineJobRoutes: false });
});
afterAll(async () => await sandbox.close());

const title = ({ on, name }: Recorded): string => (name === undefined ? on : `${on}: ${name}`);

const rows = [...recorded, ...recordedLibrary, ...recordedManyUsers];

test.each(rows.map((row) => [title(row), row] as const))('answers as recorded, and as described: %s', async (_, row) => {
	sandbox.configure({ engineUsers: recordedManyUsers.includes(row) ? { ann_1: 'Ann' } : null });
	const { answer, ...came } = await ask(sandbox.urls.engine, row);
	expect(answer).toEqual(row.answer);
	const [method = '', path = ''] = row.on.split('?')[0]?.split(' ') ?? [];
	for (const contract of contracts) {
		const operation = contract.operationOf({ method, path });
		if (operation !== undefined) expect(contract.answerProblems(operation.id, came)).toEqual([]);
	}
});

const [engine] = contracts as [Contract];

test.each([...engine.operations.values()].map((operation) => [operation.id, operation] as const))(
	'answers %s under the roots of the contract only',
	async (_, { method, path, roots }) => {
		sandbox.configure({ engineJobRoutes: true, engineUsers: null, nodeReplacements: {} });
		const answerUnder = async (root: string) => {
			const address = `${sandbox.urls.engine}${root}${path.replaceAll(/\{\w+\}/g, 'none')}`;
			const answer = await fetch(address, { method, ...(method === 'POST' && { body: '{}' }) });
			return JSON.stringify([answer.status, answer.headers.get('content-type'), await answer.text()]);
		};
		const noRoute = await answerUnder('/nowhere');
		const answers = await Promise.all(['/api', '/internal', ''].map(async (root) => ({ root, answer: await answerUnder(root) })));
		expect(answers.filter(({ answer }) => answer !== noRoute).map(({ root }) => root)).toEqual(roots);
	},
);

test('the frames and the history of one run are as recorded', async () => {
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
