/** A local Bot API server: what n8n's Telegram nodes call, with the checks that Telegram makes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const TOKEN = '123456:bot-api-token-of-the-tests';
/** Telegram's limit for the caption of a photo. */
const CAPTION_LIMIT = 1024;

export interface SentMessage {
	method: 'sendMessage' | 'sendPhoto';
	chatId: number;
	/** The text of a message as the user sees it, or the caption of a photo. */
	text: string;
	photo?: Buffer;
	fileName?: string;
}

interface Webhook {
	url: string;
	secret_token?: string;
	allowed_updates?: string[];
}

type Parameters = Record<string, unknown>;

export interface BotApi {
	/** The data of a *Telegram API* credential. */
	readonly credential: { accessToken: string; baseUrl: string };
	/** What the bot has sent, oldest first. */
	readonly sent: SentMessage[];
	/** The names of the methods that n8n has called, oldest first. */
	readonly calls: string[];
	/** As `setWebhook` has stored it. */
	webhook(): Webhook | undefined;
	/** Stores a file. @returns its `file_id`. */
	addFile(path: string, content: Buffer): string;
	/** Sends an update to the webhook, as Telegram does. @returns the status of the response. */
	deliver(update: object, secret?: string): Promise<number>;
	close(): Promise<void>;
}

class Rejection extends Error {
	constructor(
		readonly code: number,
		description: string,
	) {
		super(description);
	}
}

const badRequest = (description: string): Rejection => new Rejection(400, `Bad Request: ${description}`);

async function readBody(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}

/** The parameters of a call: in its query, as JSON, or as a form with files. */
async function readParameters(request: IncomingMessage, query: URLSearchParams): Promise<Parameters> {
	const body = await readBody(request);
	const type = request.headers['content-type'] ?? '';
	const inQuery = Object.fromEntries(query);
	if (body.length === 0) return inQuery;
	if (type.startsWith('application/json')) return { ...inQuery, ...(JSON.parse(body.toString('utf8')) as Parameters) };
	const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
	return { ...inQuery, ...Object.fromEntries(form.entries()) };
}

/** The text of a message in the mode HTML. @throws Rejection for a character that Telegram requires to be escaped. */
function shownText({ text, parse_mode: mode }: Parameters): string {
	const given = typeof text === 'string' ? text : '';
	if (given.trim() === '') throw badRequest('message text is empty');
	if (mode !== 'HTML') throw badRequest(`the tests expect the mode HTML, not ${String(mode)}`);
	if (/[<>]|&(?!(?:lt|gt|amp|quot);)/.test(given)) throw badRequest("can't parse entities: unsupported start tag");
	return given.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function chatOf({ chat_id: id }: Parameters): number {
	const chatId = Number(id);
	if (!Number.isInteger(chatId) || chatId === 0) throw badRequest('chat not found');
	return chatId;
}

async function photoOf({ photo, caption = '' }: Parameters): Promise<Pick<SentMessage, 'text' | 'photo' | 'fileName'>> {
	if (!(photo instanceof File) || photo.size === 0) throw badRequest('there is no photo in the request');
	if (typeof caption !== 'string' || caption.length > CAPTION_LIMIT) throw badRequest('message caption is too long');
	return { text: caption, photo: Buffer.from(await photo.arrayBuffer()), fileName: photo.name };
}

const send = (response: ServerResponse, status: number, body: object | Buffer): void => {
	const isFile = Buffer.isBuffer(body);
	response.writeHead(status, { 'content-type': isFile ? 'application/octet-stream' : 'application/json', connection: 'close' });
	response.end(isFile ? body : JSON.stringify(body));
};

export async function startBotApi(): Promise<BotApi> {
	const sent: SentMessage[] = [];
	const calls: string[] = [];
	const files = new Map<string, Buffer>();
	let webhook: Webhook | undefined;

	function record(message: SentMessage): object {
		sent.push(message);
		return { message_id: sent.length, date: 1_700_000_000, chat: { id: message.chatId, type: 'private' }, text: message.text };
	}

	const methods: Record<string, (parameters: Parameters) => unknown> = {
		getMe: () => ({ id: 123456, is_bot: true, first_name: 'Draws', username: 'draws_bot' }),
		getWebhookInfo: () => ({ url: webhook?.url ?? '', has_custom_certificate: false, pending_update_count: 0 }),
		setWebhook: (parameters) => {
			webhook = parameters as unknown as Webhook;
			return true;
		},
		deleteWebhook: () => {
			webhook = undefined;
			return true;
		},
		sendMessage: (parameters) => record({ method: 'sendMessage', chatId: chatOf(parameters), text: shownText(parameters) }),
		sendPhoto: async (parameters) => record({ method: 'sendPhoto', chatId: chatOf(parameters), ...(await photoOf(parameters)) }),
		getFile: ({ file_id: id }) => {
			const path = String(id).replace(/^id-of-/, '');
			const file = files.get(path);
			if (file === undefined) throw badRequest('invalid file_id');
			return { file_id: id, file_unique_id: `unique-${path}`, file_size: file.length, file_path: path };
		},
	};

	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
		const [, prefix = '', token, rest = ''] = /^\/(file\/)?bot([^/]+)\/(.*)$/.exec(pathname) ?? [];
		if (token !== TOKEN) throw new Rejection(401, 'Unauthorized');
		if (prefix !== '') {
			const file = files.get(rest);
			if (file === undefined) throw new Rejection(404, 'Not Found');
			return send(response, 200, file);
		}
		const method = Object.hasOwn(methods, rest) ? methods[rest] : undefined;
		if (method === undefined) throw new Rejection(404, 'Not Found');
		calls.push(rest);
		send(response, 200, { ok: true, result: await method(await readParameters(request, searchParams)) });
	}

	const server = createServer((request, response) => {
		answer(request, response).catch((error: unknown) => {
			const code = error instanceof Rejection ? error.code : 500;
			send(response, code, { ok: false, error_code: code, description: String((error as Error).message) });
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		credential: { accessToken: TOKEN, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
		sent,
		calls,
		webhook: () => webhook,
		addFile: (path, content) => {
			files.set(path, content);
			return `id-of-${path}`;
		},
		deliver: async (update, secret = webhook?.secret_token ?? '') => {
			if (webhook === undefined) throw new Error('n8n has not set a webhook');
			const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret };
			return (await fetch(webhook.url, { method: 'POST', headers, body: JSON.stringify(update) })).status;
		},
		close: async () => await new Promise<void>((resolve) => server.close(() => resolve())),
	};
}
