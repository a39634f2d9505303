import type { IDataObject } from 'n8n-workflow';

import { picture } from '../../client/support/pictures';
import { appText } from '../../support/savedApps';
import { useStillClock } from '../../support/stillClock';
import { until } from '../../support/until';
import { fieldsIn, filled } from '../support/apps';
import { runNode, startNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor } from '../support/flavours';
import { retryExecution } from '../support/retried';
import { freshSandbox } from '../support/sandbox';
import { jsons, submitRun } from '../support/submit';

const sandbox = freshSandbox();
const moveOn = useStillClock();

/** Jest's `process` is a copy: what is emitted here reaches this file alone. */
it('an item that starts while n8n shuts down uploads and sends nothing, and reads its recorded job for 5 seconds at most', async () => {
	const credential = credentialFor(sandbox, 'bare_engine');
	const { fields } = await fieldsIn(credential, appText('file-and-switch'));
	const photos = async (count: number) =>
		await Promise.all(
			Array.from({ length: count }, async (_, color) => {
				const snap = { content: await picture(color, 8), fileName: `${color}.png`, mimeType: 'image/png' };
				return { json: {}, files: { snap } };
			}),
		);
	const run = submitRun(credential, appText('file-and-switch'), {
		parameters: { appInputs: filled(fields, { 'Your photo': 'snap' }), options: { concurrency: 1 } },
		items: await photos(3),
		...CONTINUE,
	});
	const first = await runNode(run);
	const [, second, third] = sandbox.ledger.runs.map(({ jobId }) => jobId);
	const retry = retryExecution({ ...run, items: await photos(4) }, first);
	delete (retry.contextData?.['node:Under Test']?.comfySubmissions as IDataObject)['0:0'];

	const slow = sandbox.inject({ on: 'POST /api/prompt', surface: 'engine', fault: { kind: 'delay', ms: 300 } });
	const unanswered = sandbox.inject({ on: 'GET /api/jobs/:id', surface: 'engine', fault: { kind: 'stall' } });
	process.once('SIGTERM', () => undefined);
	const { result } = startNode(retry);
	await until(() => slow.used === 1);
	process.emit('SIGTERM');
	await until(() => unanswered.used === 1);
	moveOn(5_000);
	expect(jsons(await result)).toMatchObject([
		{ job_id: sandbox.ledger.runs[3]?.jobId },
		{ error: `n8n is shutting down, and the node no longer waits for job ${second}` },
		{ job_id: third },
		{ error: 'n8n is shutting down: nothing was sent for this item' },
	]);
	expect(sandbox.requests('POST /api/upload/image')).toHaveLength(4);
	expect(sandbox.ledger.runs).toHaveLength(4);
});
