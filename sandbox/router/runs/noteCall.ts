import type { FastifyReply } from 'fastify';
import type { AccountName } from '../../vocabulary';
import { spelled } from '../headers';
import type { RouterService } from '../routerService';

const CALLER_LEFT = 499;

/** Notes a call once it is over; `client_disconnected` is seen nowhere else. */
export function noteCall(
	reply: FastifyReply,
	{ account, model }: { account: AccountName; model: string },
	{ behaviour, ledger }: RouterService,
): void {
	const requestId = String(reply.getHeader(behaviour.requestIdHeader));
	reply.raw.once('close', () => {
		const told = reply.raw.writableFinished;
		const bucket = reply.raw.getHeader(spelled('X-Vendor-Error-Type', behaviour));
		ledger.routerCalls.push({
			requestId,
			model,
			account,
			status: told ? reply.raw.statusCode : CALLER_LEFT,
			bucket: told ? (typeof bucket === 'string' ? bucket : null) : 'client_disconnected',
			at: Date.now(),
		});
	});
}
