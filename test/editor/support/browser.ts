import { chromium, selectors, type Browser, type BrowserContext } from 'playwright-core';
import { OWNER } from '../../../scripts/n8nHost';
import { findChromium } from './findChromium';

/** Beside what Playwright sets: root in a container has no sandbox, and nothing but n8n is to be called. */
const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** A loaded machine takes its time; whoever waits for something that never comes is told after this. */
const PATIENCE_MS = 60_000;

selectors.setTestIdAttribute('data-test-id');

export interface SignedInBrowser {
	context: BrowserContext;
	close(): Promise<void>;
}

async function signIn(context: BrowserContext, url: string): Promise<void> {
	const page = await context.newPage();
	await page.goto(`${url}/signin`);
	await page.locator('input[name="emailOrLdapLoginId"]').fill(OWNER.email);
	await page.locator('input[name="password"]').fill(OWNER.password);
	await page.getByTestId('form-submit-button').click();
	await page.waitForURL('**/home/**');
	await page.close();
}

/** A browser of its own, in which the owner of the n8n at `url` is signed in. */
export async function openBrowser(url: string): Promise<SignedInBrowser> {
	const browser: Browser = await chromium.launch({ executablePath: findChromium(), args: FLAGS, timeout: PATIENCE_MS });
	const context = await browser.newContext({ baseURL: url, viewport: { width: 1400, height: 900 } });
	context.setDefaultTimeout(PATIENCE_MS);
	context.setDefaultNavigationTimeout(PATIENCE_MS);
	await signIn(context, url);
	return { context, close: async () => await browser.close() };
}
