/** A result on its way to the caller. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { writeJson } from '../../exactJson';
import { setHeaders } from '../headers';
import type { Generation } from '../generate/generations';
import { creditsOf, type Generated } from '../model';
import type { RouterService } from '../routerService';

export interface Delivery {
	result: Generated;
	generation: Generation;
	replayed: boolean;
}

export function deliver(
	reply: FastifyReply,
	{ result, generation, replayed }: Delivery,
	{ behaviour, generations }: RouterService,
): FastifyReply {
	const {
		order: { model, account, dropped },
		fallbackProvider,
	} = generation;
	const tellsCredits = model.tellsCredits && !(replayed && behaviour.replayedCredits === 'absent');
	setHeaders(
		reply,
		{
			...(tellsCredits && { 'X-Vendor-Credits-Used': creditsOf(model) }),
			...(replayed && { 'Idempotent-Replayed': 'true' }),
			...(dropped.length > 0 && { 'X-Vendor-Router-Dropped-Params': JSON.stringify(dropped) }),
			...(fallbackProvider !== undefined && { 'X-Vendor-Router-Fallback-Provider': fallbackProvider }),
			'X-Content-Type-Options': 'nosniff',
			...generations.inFlight.spendHeaders(account),
		},
		behaviour,
	);
	if (result.kind === 'json') return reply.code(200).type('application/json; charset=utf-8').send(writeJson(result.value));
	if (result.kind === 'bytes')
		return reply
			.code(200)
			.type(result.contentType)
			.header('content-length', result.bytes.length)
			.send(Readable.from([result.bytes]));
	return reply.code(200).type('application/json; charset=utf-8').header('content-length', result.sizeBytes).send(result.open());
}

/** Whether the whole answer has been handed to the caller's connection. */
export async function wasWritten({ raw }: FastifyReply): Promise<boolean> {
	if (!raw.writableFinished && !raw.destroyed) await Promise.race([once(raw, 'finish'), once(raw, 'close')]);
	return raw.writableFinished;
}
