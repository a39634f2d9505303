/** n8n crashes while a job runs. The user retries the execution in the editor. */
import type { Page } from 'playwright-core';
import { delivered, openShop, type Shop } from '../e2e/support/orders';
import { openOwnHost, type OwnHost } from '../e2e/support/ownHost';
import { until } from '../e2e/support/until';
import { openBrowser, type SignedInBrowser } from './support/browser';
import { withEvidence } from './support/screenshots';
import { Person } from './support/pages/person';

let host: OwnHost;
let browser: SignedInBrowser;
let shop: Shop;
let ordered: number;

beforeAll(async () => {
	host = await openOwnHost();
	const { rest, credentials, sandbox } = host.session;
	sandbox.configure({ gateOpen: false });
	shop = await openShop(rest, { isHeld: true, credentials });
	ordered = await shop.order();
	await until('the job to run', async () => sandbox.jobs().some(({ status }) => status === 'running') || undefined);
	await host.killN8n();
	sandbox.configure({ gateOpen: true });
	await host.startN8n();
	browser = await openBrowser(rest.url);
}, 300_000);
afterAll(async () => {
	await browser?.close();
	await host?.close();
});

/** After the first production execution, n8n shows this checklist in front of the executions. */
const closeChecklistWhenShown = async (page: Page): Promise<void> =>
	await page.addLocatorHandler(page.getByText('Production Checklist'), async () => await page.keyboard.press('Escape'));

async function openExecutions(page: Page): Promise<Person> {
	await page.goto(`/workflow/${shop.workflow.id}/executions`);
	await page.getByText(/ID#/).waitFor();
	return new Person(page);
}

test('a crashed execution is retried from its list in two clicks, and its job is delivered and billed once', async () => {
	const page = await browser.context.newPage();
	try {
		await closeChecklistWhenShown(page);
		const person = await openExecutions(page);
		const { rest, sandbox } = host.session;
		await person.choose(person.find('retry-execution-button'), page.getByRole('menuitem', { name: 'Retry with currently saved workflow' }));
		expect(person.clicks).toBe(2);
		const retry = await until('the retry to begin', async () => (await shop.executions()).find(({ mode }) => mode === 'retry'));
		const ended = await rest.waitFor(retry.id);
		await openExecutions(page);
		expect(ended.status).toBe('success');
		expect(await delivered(rest, ended)).toEqual([ordered]);
		expect(sandbox.ledger.runs).toHaveLength(1);
	} catch (error) {
		throw await withEvidence(error, 'afterCrash', page);
	} finally {
		await page.close();
	}
});
