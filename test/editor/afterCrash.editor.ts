/** n8n crashes while a job runs. The user retries the execution in the editor. */
import { killSharedHost } from '../e2e/support/host';
import { deliveredColors } from '../e2e/support/guardedFlows';
import { openShop } from '../e2e/support/orders';
import { until } from '../e2e/support/until';
import { stage } from './support/scenes';

const staged = stage();
const { scene } = staged;

scene('a crashed execution is retried from its list in two clicks, and its job is delivered and billed once', async ({ page, person }) => {
	const { rest, credentials, sandbox } = staged.session;
	sandbox.configure({ gateOpen: false });
	const shop = await openShop(rest, { isHeld: true, credentials });
	const ordered = await shop.order();
	await until('the job to run', async () => sandbox.jobs().some(({ status }) => status === 'running') || undefined);
	const start = await killSharedHost();
	sandbox.configure({ gateOpen: true });
	await start();

	// After the first production execution, n8n shows this checklist in front of the executions.
	await page.addLocatorHandler(page.getByText('Production Checklist'), async () => await page.keyboard.press('Escape'));
	await page.goto(`/workflow/${shop.workflow.id}/executions`);
	await page.getByText(/ID#/).waitFor();
	await person.choose(person.find('retry-execution-button'), page.getByRole('menuitem', { name: 'Retry with currently saved workflow' }));
	expect(person.clicks).toBe(2);
	const retry = await until('the retry to begin', async () => (await shop.executions()).find(({ mode }) => mode === 'retry'));
	const ended = await rest.waitFor(retry.id);
	expect(ended.status).toBe('success');
	expect(await deliveredColors(rest, ended, ended.data.resultData.lastNodeExecuted)).toEqual([ordered]);
	expect(sandbox.ledger.runs).toHaveLength(1);
});
