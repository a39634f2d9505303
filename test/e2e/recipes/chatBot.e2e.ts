import sharp from 'sharp';
import {
	type Execution,
	importCredentials,
	itemsOf,
	readExample,
	type SavedCredential,
	type WorkflowDocument,
} from '../../../scripts/n8nHost/documents';
import { saveServer } from '../support/engine';
import { colorsOf, nodeOf, succeeded } from '../support/exampleRuns';
import { openSession, type Session } from '../support/session';
import { type BotApi, startBotApi } from '../support/telegram';
import { publish, type Published } from '../support/triggers';

const USER = 5_000_000_001;
const STRANGER = 777;
const COMFY_NODES = ['Generate Image', 'Edit Photo'];

let session: Session;
let api: BotApi;
let published: Published;
beforeEach(async () => {
	[session, api] = await Promise.all([openSession(), startBotApi()]);
});
afterEach(async () => {
	await published.deactivate();
	await Promise.all([session.close(), api.close()]);
});

/** Publishes the recipe with the user in its list. @param comfy the credential of its ComfyUI: the API proxy by default. */
async function start(change: (document: WorkflowDocument) => void = () => undefined, comfy?: SavedCredential[]): Promise<void> {
	const document = await readExample('chat-bot');
	for (const node of document.nodes) {
		if (node.type.startsWith('n8n-nodes-base.telegram')) node.credentials = { telegramApi: { id: null, name: '' } };
	}
	const { assignments } = nodeOf(document, 'Settings').parameters.assignments as { assignments: Array<{ name: string; value: string }> };
	assignments.find(({ name }) => name === 'allowed_user_ids')!.value = `42, ${USER}`;
	change(document);
	const bot = await importCredentials(session.rest, [{ name: 'Bot', type: 'telegramApi', data: api.credential }]);
	published = await publish(session, document, [...(comfy ?? session.credentials), ...bot]);
}

let lastUpdate = 900_000;

const update = (message: object, from = USER) => ({
	update_id: ++lastUpdate,
	message: {
		message_id: lastUpdate,
		date: 1_790_000_000,
		from: { id: from, is_bot: false },
		chat: { id: from, type: 'private' },
		...message,
	},
});

/** Posts the update and waits until one more execution has ended. */
async function deliver(content: object): Promise<Execution> {
	const before = (await published.executions()).length;
	expect(await api.deliver(content)).toBe(200);
	return (await published.until(before + 1)).at(-1)!;
}

const photoSizes = (path: string, content: Buffer) => [
	{ file_id: 'id-of-a-thumbnail', width: 24, height: 16 },
	{ file_id: api.addFile(path, content), width: 96, height: 64 },
];
const picture = async (background: string) =>
	await sharp({ create: { width: 96, height: 64, channels: 3, background } })
		.jpeg()
		.toBuffer();

const texts = () => api.sent.map(({ text }) => text);
const runs = () => session.sandbox.ledger.runs;
const graphOf = (index: number) => session.sandbox.job(runs()[index]?.jobId ?? '')?.graph;

test('a message becomes an image, and the bot reports first that it starts', async () => {
	await start();
	expect(api.webhook()).toMatchObject({ allowed_updates: ['message'], secret_token: expect.stringMatching(/^[\w-]{8,}$/) });
	const execution = succeeded(await deliver(update({ text: ' a fox & <an owl> ' })));

	expect(api.sent).toEqual([
		{ method: 'sendMessage', chatId: USER, text: 'Drawing…' },
		expect.objectContaining({ method: 'sendPhoto', chatId: USER, text: 'a fox & <an owl>' }),
	]);
	const [item] = itemsOf(execution, 'Generate Image');
	expect(api.sent[1]?.photo?.equals(await session.rest.binary(item?.binary?.data?.id ?? ''))).toBe(true);
	expect(api.sent[1]?.fileName).toMatch(/^chat-bot.*\.png$/);
	expect(await sharp(api.sent[1]?.photo).metadata()).toMatchObject({ width: 512, height: 512 });
	expect(runs()).toHaveLength(1);
	expect(runs()[0]?.idempotencyKey).toBe(`telegram-${published.workflow.id}-${lastUpdate}`);
	expect(graphOf(0)?.['6']?.inputs.text).toBe('a fox & <an owl>');
});

test('a photo with a caption becomes an edited photo of the same size', async () => {
	await start();
	const [red, blue] = [await picture('#ff0000'), await picture('#0000ff')];
	succeeded(await deliver(update({ photo: photoSizes('photos/file_0.jpg', red), caption: 'make it snow' })));
	const file = { file_id: api.addFile('documents/file_1.jpg', blue), mime_type: 'image/jpeg', file_name: 'blue.jpg' };
	succeeded(await deliver(update({ document: file, caption: 'make it snow' })));

	expect(api.sent.map(({ method }) => method)).toEqual(['sendMessage', 'sendPhoto', 'sendMessage', 'sendPhoto']);
	expect([0, 1].map((index) => graphOf(index)?.['6']?.inputs.text)).toEqual(['make it snow', 'make it snow']);
	const [fromRed, fromBlue] = await Promise.all([1, 3].map(async (index) => await colorsOf(api.sent[index]!.photo!)));
	expect(fromRed).toMatchObject({ width: 96, height: 64 });
	expect(fromRed?.data.equals(fromBlue!.data)).toBe(false);
	expect(runs()).toHaveLength(2);
});

test.each([
	['through the API proxy, which rejects a key that was used before: the user gets one image', false, 1],
	['on a ComfyUI without the proxy: the user gets the same image twice', true, 2],
])('an update that Telegram repeats runs one job %s', async (_, isEngine, copies) => {
	await start(undefined, isEngine ? await saveServer(session) : undefined);
	const text = update({ text: 'a lighthouse' });
	const photo = update({ photo: photoSizes('photos/file_2.jpg', await picture('#00ff00')), caption: 'at night' });
	for (const one of [text, text, photo, photo]) succeeded(await deliver(one));

	expect(runs()).toHaveLength(2);
	expect(texts().filter((sent) => sent === 'Drawing…')).toHaveLength(4);
	const photos = api.sent.filter(({ method }) => method === 'sendPhoto');
	expect(photos.map((sent) => sent.text)).toEqual([
		...Array<string>(copies).fill('a lighthouse'),
		...Array<string>(copies).fill('at night'),
	]);
	expect(photos.at(-1)?.photo?.equals(photos[copies]!.photo!)).toBe(true);
	expect(api.sent).toHaveLength(4 + 2 * copies);
});

test('a user who is not in the list gets a text with their ID, and ComfyUI gets no request', async () => {
	await start();
	const photo = photoSizes('photos/file_3.jpg', await picture('#ffffff'));
	for (const message of [{ text: 'a fox' }, { text: '/start' }, { photo, caption: 'a fox' }]) {
		succeeded(await deliver(update(message, STRANGER)));
	}
	const answer = `This bot is private. Your user ID is ${STRANGER}. Ask the owner of the bot to add it.`;
	expect(api.sent).toEqual([1, 2, 3].map(() => ({ method: 'sendMessage', chatId: STRANGER, text: answer })));
	expect(api.calls).not.toContain('getFile');
	expect(session.sandbox.requests()).toEqual([]);
	expect(await api.deliver(update({ text: 'a fox' }), 'not-the-secret')).toBe(403);
	expect(await published.executions()).toHaveLength(3);
});

test('a command gets a greeting, and a message without a text or a caption gets help', async () => {
	await start();
	const photo = photoSizes('photos/file_4.jpg', await picture('#ffffff'));
	for (const message of [{ text: '/start' }, { photo }, { sticker: { file_id: 'sticker', emoji: '🦊' } }]) {
		succeeded(await deliver(update(message)));
	}
	expect(texts()).toEqual([
		'Hello! Describe an image, and I draw it. Or send a photo with a caption that says how to change it.',
		'Please send the photo again with a caption that says how to change it.',
		'Please send a text that describes an image, or a photo with a caption.',
	]);
	expect(session.sandbox.requests()).toEqual([]);
});

test('the user gets a text if ComfyUI is switched off, rejects the workflow, or cannot finish the job', async () => {
	await start(
		(document) => {
			for (const name of COMFY_NODES) Object.assign(nodeOf(document, name).parameters.options as object, { waitForServerMinutes: 0 });
			const { parameters } = nodeOf(document, 'Generate Image');
			const graph = JSON.parse(String(parameters.workflow)) as Record<string, { class_type: string; inputs: Record<string, unknown> }>;
			graph['9']!.inputs.images = ['20', 0];
			graph['20'] = { class_type: 'SandboxFail', inputs: { image: ['8', 0], message: 'out of <memory>', exception_type: 'RuntimeError' } };
			parameters.workflow = JSON.stringify(graph);
		},
		await saveServer(session),
	);
	succeeded(await deliver(update({ text: 'a fox' })));
	expect(runs()).toHaveLength(1);
	session.sandbox.inject({
		on: 'POST /api/prompt',
		answer: {
			status: 400,
			json: { error: { type: 'prompt_no_outputs', message: 'Prompt has no outputs', details: '', extra_info: {} }, node_errors: {} },
		},
	});
	succeeded(await deliver(update({ text: 'a fox' })));
	await session.sandbox.stopEngine();
	succeeded(await deliver(update({ text: 'a fox' })));
	await session.sandbox.startEngine();
	succeeded(await deliver(update({ photo: [{ file_id: 'id-of-a-lost-file' }], caption: 'a fox' })));

	expect(api.sent.map(({ method }) => method)).toEqual(Array(8).fill('sendMessage'));
	expect(texts().filter((text) => text !== 'Drawing…')).toEqual([
		expect.stringMatching(/^ComfyUI could not make this image\. It reports: .*out of .memory.$/),
		expect.stringMatching(/^ComfyUI could not make this image\. It reports: .*no outputs/),
		'ComfyUI is switched off or cannot be reached. Please send your message again later.',
		'I cannot get this photo from Telegram. Please send it again, as a photo and not as a file.',
	]);
	expect(runs()).toHaveLength(1);
});
