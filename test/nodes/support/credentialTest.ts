import type { INodeCredentialTestResult } from 'n8n-workflow';

import { credentialTest, routerCredentialTest } from '../../../nodes/shared/connect/credentialTest';
import { asHandedOn } from './credentials';
import { type Credential, credentialTestContext, type RouterCredential } from './engine';

/** As n8n runs the test behind the credential dialog. @param tests of the node that n8n chooses for it. */
export async function testCredential(
	{ type, data }: Pick<Credential | RouterCredential, 'type' | 'data'>,
	tests: Partial<Record<string, (typeof credentialTest)['comfyApiTest']>> = { ...routerCredentialTest, ...credentialTest },
): Promise<INodeCredentialTestResult> {
	const test = tests[`${type}Test`];
	if (test === undefined) throw new Error(`No test for ${type}`);
	return await test.call(credentialTestContext(), { id: '1', name: 'test', type, data: asHandedOn({ type, data }) });
}
