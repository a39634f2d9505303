/** How the sandbox is brought to answer with each v2 error code. */
import type { Sandbox } from '../../sandbox';
import { editorFormat, picture, unknownClass, withAsset } from './graphs';
import { freshBytes, hashOf, UNKNOWN_ID, type Called, type Service } from './service';

type Provoke = (sandbox: Sandbox, hosted: Service, deployment: Service) => Promise<Called>;

/** What nothing but the service's own state brings about is asked for by injection. */
const injected =
	(status: number, code: string, retryAfter?: number): Provoke =>
	async (sandbox, hosted) => {
		sandbox.inject({
			on: 'GET /api/v2/jobs/:id',
			answer: { status, code, message: 'Told to', ...(retryAfter !== undefined && { retryAfter }) },
		});
		return await hosted.call('getJob', { name: UNKNOWN_ID });
	};

export const provocations: Record<string, Provoke> = {
	invalid_workflow: async (_, hosted) => await hosted.submit(unknownClass()),
	workflow_format_ui: async (_, hosted) => await hosted.submit(editorFormat()),
	missing_asset: async (_, hosted) => await hosted.submit(withAsset(UNKNOWN_ID)),
	hash_mismatch: async (_, hosted) => await hosted.upload(freshBytes('sent'), { expected_hash: hashOf(freshBytes('announced')) }),
	blob_not_found: async (_, hosted) => await hosted.call('createAssetFromHash', { json: { hash: hashOf(freshBytes('never sent')) } }),
	idempotency_key_reuse: async (_, hosted) => {
		await hosted.submit(picture(), { 'idempotency-key': 'the same' });
		return await hosted.submit(picture(), { 'idempotency-key': 'the same' });
	},
	queue_full: async (sandbox, hosted) => {
		sandbox.setQueueLimit(0);
		return await hosted.submit(picture());
	},
	insufficient_credits: async (sandbox, hosted) => {
		sandbox.setCredits('main', 0);
		return await hosted.submit(picture());
	},
	not_found: async (_, hosted) => await hosted.call('getJob', { name: UNKNOWN_ID }),
	unauthorized: async (_, hosted) => await hosted.call('getJob', { name: UNKNOWN_ID, key: null }),
	forbidden: injected(403, 'forbidden'),
	deployment_not_ready: async (sandbox, _, deployment) => {
		sandbox.setDeploymentState('not_ready');
		return await deployment.submit(picture());
	},
	deployment_stopped: async (sandbox, _, deployment) => {
		sandbox.setDeploymentState('stopped');
		return await deployment.submit(picture());
	},
	rate_limited: injected(429, 'rate_limited', 1),
	upstream_error: injected(500, 'upstream_error'),
};

/** Back to a service that refuses nothing. */
export function calmDown(sandbox: Sandbox): void {
	sandbox.clearFaults();
	sandbox.setQueueLimit(Infinity);
	sandbox.setCredits('main', Infinity);
	sandbox.setDeploymentState('ready');
}
