process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';

import { type Credential, credentialTestContext, nodes, type RouterCredential, runNode } from './support/engine';
import { credentialFor } from './support/flavours';
import { colorGraph } from './support/graphs';
import { submitRun } from './support/submit';
import { sharedSandbox } from './support/sandbox';

const sandbox = sharedSandbox();

describe('where n8n limits which addresses may be reached', () => {
	it('a node does not contact a forbidden one, and the message says so', async () => {
		const { error } = await runNode(submitRun(credentialFor(sandbox), colorGraph(1)));
		expect(error?.message).toMatch(/n8n does not allow connections to http:\/\/127\.0\.0\.1/);
		expect(error?.description).toMatch(/administrator/);
		expect(sandbox.requests()).toEqual([]);
	});

	const tested: Array<[string, keyof typeof nodes, () => Credential | RouterCredential]> = [
		['comfyApi', 'comfySubmitWorkflow', () => credentialFor(sandbox)],
		['comfyApi', 'comfyRunRouterModel', () => credentialFor(sandbox)],
		['comfySelfHostedApi', 'comfySubmitWorkflow', () => credentialFor(sandbox, 'self_hosted')],
		[
			'comfyRouterJwtApi',
			'comfyRunRouterModel',
			() => ({
				type: 'comfyRouterJwtApi',
				data: { token: 'canary-5e1d', routerUrl: sandbox.urls.router, pathPrefix: 'automatic', ignoreSslIssues: false },
			}),
		],
	];
	it.each(tested)('S1: the test of a %s credential (by %s) does not contact it either', async (type, node, credential) => {
		const { credentialTest } = nodes[node].methods as unknown as {
			credentialTest: Record<string, (typeof nodes.comfySubmitWorkflow.methods.credentialTest)['comfyApiTest']>;
		};
		const result = await credentialTest[`${type}Test`]?.call(credentialTestContext(), {
			id: '1',
			name: 'test',
			type,
			data: credential().data,
		});
		expect(result).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/n8n does not allow connections to http:\/\/127\.0\.0\.1:\d+\. The administrator/) as string,
		});
		expect(sandbox.requests()).toEqual([]);
	});
});
