import { picture } from '../../client/support/pictures';
import { appText } from '../../support/savedApps';
import { until } from '../../support/until';
import { fieldsIn, filled } from '../support/apps';
import { startNode } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { freshSandbox } from '../support/sandbox';
import { submitRun } from '../support/submit';

const sandbox = freshSandbox();

/** Jest's `process` is a copy: what is emitted here reaches this file alone. */
it('an item that starts while n8n shuts down uploads and sends nothing', async () => {
	const credential = credentialFor(sandbox, 'bare_engine');
	const { fields } = await fieldsIn(credential, appText('file-and-switch'));
	const photo = async (color: number) => ({ content: await picture(color, 8), fileName: `${color}.png`, mimeType: 'image/png' });
	const run = submitRun(credential, appText('file-and-switch'), {
		parameters: { appInputs: filled(fields, { 'Your photo': 'snap' }), options: { concurrency: 1 } },
		items: [
			{ json: {}, files: { snap: await photo(1) } },
			{ json: {}, files: { snap: await photo(2) } },
		],
	});
	const slow = sandbox.inject({ on: 'POST /api/prompt', surface: 'engine', fault: { kind: 'delay', ms: 300 } });
	process.once('SIGTERM', () => undefined);
	const { result } = startNode(run);
	await until(() => slow.used === 1);
	process.emit('SIGTERM');
	const { error } = await result;
	expect(error?.message).toBe('n8n is shutting down: nothing was sent for this item');
	expect(error?.context.itemIndex).toBe(1);
	expect(error?.description).toContain(`Jobs that exist: item 0: ${sandbox.ledger.runs[0]?.jobId}`);
	expect(sandbox.requests('POST /api/upload/image')).toHaveLength(1);
	expect(sandbox.ledger.runs).toHaveLength(1);
});
