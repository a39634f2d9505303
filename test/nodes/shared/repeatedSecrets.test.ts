/** Secrets that a server repeats: at the place where a long text is cut, and in a successful answer. */
import type { FaultRule } from '../../../sandbox';
import { runNode } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { collectLog } from '../support/log';
import { manageRun } from '../support/manage';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitRun } from '../support/submit';

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
				const result = await runNode({ ...submitRun(credential, colorGraph(5), withPartnerKey), logger: debugLog.logger });
				const text = JSON.stringify([result.error, result.stored, debugLog.lines]);
				expect(result.status).toBe('error');
				expect(text).toContain('***');
				expect(text).not.toContain(secret.slice(0, 12));
			}
		}
	});
});

const REPEATED = 'comfy+key/4f1c=90';

describe('a secret that a server repeats in a successful answer', () => {
	it.each([
		['the Authorization header', `Bearer ${REPEATED}`],
		['the key', REPEATED],
		['the key in a sentence', `You sent ${REPEATED}, thanks`],
		['the key in an address', `https://example.test/?key=${encodeURIComponent(REPEATED)}`],
		['the key, encoded twice', encodeURIComponent(encodeURIComponent(REPEATED))],
		['the key in a JSON text', JSON.stringify({ key: REPEATED })],
	])('is masked in a result (%s)', async (_, text) => {
		const echo = { echo: { [text]: [text, { deep: text }] }, service: text };
		const json = { id: 'job-1', status: 'succeeded', outputs: [], urls: {}, ...echo };
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: { status: 200, json } });
		const credential = credentialFor(sandbox, 'hosted', { apiKey: REPEATED });
		const result = await runNode(manageRun(credential, 'job:get', { parameters: { jobId: 'job-1' } }));
		expect(result.error).toBeUndefined();
		expect(JSON.stringify(jsons(result)[0])).toContain('***');
		expect(decodeURIComponent(decodeURIComponent(result.stored))).not.toContain(REPEATED);
	});
});
