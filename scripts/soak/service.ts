/** The service process of a soak test. It repeats all kinds of faults. */
import '../../test/support/loopbackOnly';
import { type FaultRule, startSandbox } from '../../sandbox';
import type { Access, Order } from './trend';

const EVERY_MS = 400;
const RESTART_EVERY = 40;
const KEEP_JOBS = 400;

const json = { 'content-type': 'application/json' };
const FAULTS: ReadonlyArray<Omit<FaultRule, 'times'>> = [
	{ on: 'GET *', fault: { kind: 'drop_before' } },
	{ on: 'POST *', fault: { kind: 'drop_before' } },
	{ on: 'GET *', fault: { kind: 'drop_after' } },
	{ on: 'POST *', fault: { kind: 'drop_after' } },
	{ on: 'GET *', fault: { kind: 'truncate', afterBytes: 20 } },
	{ on: 'GET *', fault: { kind: 'stall', ms: 1_000 } },
	{ on: 'POST *', fault: { kind: 'delay', ms: 500 } },
	{ on: 'POST *', fault: { kind: 'late_delivery', ms: 500 } },
	{ on: 'POST *', fault: { kind: 'duplicate' } },
	{ on: 'GET *', answer: { status: 503, code: 'unavailable', retryAfter: 1 } },
	{ on: 'GET *', answer: { status: 502, html: true } },
	{ on: 'POST *', answer: { status: 429, code: 'queue_full', retryAfter: 1 } },
	{ on: 'GET *', answer: { status: 500, headers: json, badJson: true } },
	{ on: 'POST *', answer: { status: 422, code: 'invalid_workflow', message: 'no' } },
	{ on: 'GET *', surface: 'storage', fault: { kind: 'expired_link' } },
	{ on: 'GET *', surface: 'storage', fault: { kind: 'truncate', afterBytes: 1 } },
	{ on: 'GET /api/v2/jobs/:id/events', fault: { kind: 'lost_stream', afterEvents: 1 } },
	{ on: 'GET /api/v2/jobs/:id/events', fault: { kind: 'silent_stream' } },
	{ on: 'GET /api/v2/jobs/:id/events', fault: { kind: 'error_event', code: 'internal' } },
	{ on: 'GET /ws', fault: { kind: 'lost_socket', afterFrames: 2 } },
	{ on: 'GET /ws', fault: { kind: 'garbage_socket', afterFrames: 1 } },
	{ on: 'GET /ws', fault: { kind: 'oversized_frame', bytes: 33 * 1024 * 1024, afterFrames: 1 } },
	{ on: 'GET /ws', answer: { status: 503, code: 'unavailable' } },
];

async function main(): Promise<void> {
	const sandbox = await startSandbox();
	let turns = 0;
	const timer = setInterval(() => {
		sandbox.clearFaults();
		sandbox.inject({ ...(FAULTS[turns % FAULTS.length] as FaultRule), times: 1 });
		if (turns % RESTART_EVERY === 0) {
			sandbox.restartEngine();
			sandbox.dropSockets();
		}
		turns += 1;
	}, EVERY_MS);
	process.on('message', (order: Order) => {
		if (order === 'end') {
			clearInterval(timer);
			void sandbox.close().then(() => process.exit());
			return;
		}
		// Its own memory, and what a list of it weighs in the product, is nothing of the product's.
		sandbox.resetRecords();
		for (const surface of ['hosted', 'deployment', 'self_hosted'] as const)
			if (sandbox.jobs(surface).length > KEEP_JOBS) sandbox.forgetJobs(surface);
	});
	process.on('disconnect', () => process.exit());
	const { urls, keys } = sandbox;
	process.send?.({ urls, keys } satisfies Access);
}

void main();
