import type { IncomingMessage } from 'node:http';
import type { BusboyInstance } from '@fastify/busboy';

/** Hands a whole multipart body to its parser. Rejects when it is malformed or the caller goes away. */
export async function passThrough(request: IncomingMessage, parser: BusboyInstance): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		parser.once('finish', resolve);
		parser.once('error', reject);
		request.once('error', reject);
		request.once('close', () => {
			if (!request.complete) reject(new Error('the caller went away'));
		});
		request.pipe(parser);
	});
}
