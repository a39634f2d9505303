import type { FaultRule } from '../../../sandbox';
import { runNode as runSilently } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { collectLog } from '../support/log';
import { sharedSandbox } from '../support/sandbox';
import { submitRun } from '../support/submit';

const sandbox = sharedSandbox();
const debugLog = collectLog();
const withPartnerKey = { parameters: { options: { sendPartnerKey: true, keepTryingForSeconds: 0 } } };

describe('a secret across the place where a long text is cut', () => {
	const bodies = (secret: string): Array<FaultRule['answer']> => [
		{ status: 422, code: 'odd_code', message: `${'a '.repeat(470)}${secret} is not allowed` },
		{
			status: 422,
			code: 'odd_code',
			message: 'x',
			details: { node_errors: { '1': [{ field: 'key', reason: `${'a '.repeat(120)}${secret}` }] } },
		},
	];
	it('F6: is masked as a whole for two keys of one credential', async () => {
		const partnerApiKey = `partner-${'0123456789'.repeat(6)}`;
		const apiKey = `account-${'9876543210'.repeat(6)}`;
		const credential = credentialFor(sandbox, 'hosted', { apiKey, partnerApiKey });
		for (const secret of [apiKey, partnerApiKey]) {
			for (const answer of bodies(secret)) {
				sandbox.inject({ on: 'POST /api/v2/jobs', answer });
				const result = await runSilently({ ...submitRun(credential, colorGraph(5), withPartnerKey), logger: debugLog.logger });
				const text = JSON.stringify([result.error, result.stored, debugLog.lines]);
				expect(result.status).toBe('error');
				expect(text).toContain('***');
				expect(text).not.toContain(secret.slice(0, 12));
			}
		}
	});
});
