/** `GET /ws`: live frames about the jobs of an account, submitted by any interface. */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { RunFrames, textFrame } from '../socket/runFrames';
import { sendRunFrames, type Job } from '../service/job';
import type { OpenSockets } from '../socket/connections';
import { socketRoute } from '../socket/socketRoute';
import type { AccountName } from '../vocabulary';
import { unauthorized } from '../service/traits';
import type { Service } from '../service/service';
import { invalid } from './refusals';
import { fileOf, outputKey } from './files';
import { queueRemaining } from './promptRoutes';

/** `clientId` has no effect: all connections of an account receive the same frames. */
export function liveRoute(app: FastifyInstance, service: Service, sockets: OpenSockets): void {
	const { surface, runner, traits } = service;
	const tell = (account: AccountName, frame: string | Buffer): void => {
		for (const connection of sockets.on(surface)) if (connection.account === account) connection.send(frame);
	};
	const queueFrame = (account: AccountName, facts: Record<string, unknown> = {}): string =>
		textFrame('status', { status: { exec_info: { queue_remaining: queueRemaining(service, account) } }, ...facts });

	runner.onJob((job) => {
		tell(job.account, queueFrame(job.account));
		follow(job, (frame) => tell(job.account, frame));
		job.onEvent((news) => {
			if (news.kind === 'status' && job.isTerminal) tell(job.account, queueFrame(job.account));
		});
	});
	socketRoute(app, '/ws', {
		surface,
		sockets,
		authorize: ({ query }) => {
			const { token = '' } = query as Record<string, string>;
			const account = traits.tokens?.get(token);
			if (account === undefined) throw unauthorized();
			return account;
		},
		refusePlain: () => {
			throw invalid('This address takes WebSocket connections only');
		},
		onOpen: (connection) => connection.send(queueFrame(connection.account, { sid: randomUUID() })),
	});
}

/** Sends the frames of one job. */
function follow(job: Job, send: (frame: string | Buffer) => void): void {
	job.onEvent((news) => {
		if (news.kind === 'status' && job.status === 'running')
			send(textFrame('notification', { value: 'Your workflow is starting', prompt_id: job.id }));
	});
	const frames = new RunFrames({ promptId: job.id, graph: job.graph, previews: 'metadata', send });
	sendRunFrames(job, frames, (output) => ({ key: outputKey(output), item: fileOf(output) }));
}
