import { type Browser, type BrowserContext, chromium, selectors } from 'playwright-core';
import { BROWSER_ID } from '../../../scripts/n8nHost/rest';
import type { HostState } from '../../e2e/support/host';
import { findProgram, foldersOn, isProgram } from '../../support/programs';

/** In addition to Playwright's flags. In a container, root cannot use Chromium's sandbox. The browser may call only n8n. */
const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Limit of each wait, long enough for a loaded machine. */
const PATIENCE_MS = 60_000;

selectors.setTestIdAttribute('data-test-id');

export interface SignedInBrowser {
	context: BrowserContext;
	close(): Promise<void>;
}

/** Opens a browser that has the session of the owner of this n8n. */
export async function openBrowser({ url, session }: Pick<HostState, 'url' | 'session'>): Promise<SignedInBrowser> {
	const browser: Browser = await chromium.launch({ executablePath: findChromium(), args: FLAGS, timeout: PATIENCE_MS });
	const context = await browser.newContext({ baseURL: url, viewport: { width: 1400, height: 900 } });
	context.setDefaultTimeout(PATIENCE_MS);
	context.setDefaultNavigationTimeout(PATIENCE_MS);
	const [name = '', value = ''] = session.split('=');
	await context.addCookies([{ name, value, url }]);
	await context.addInitScript(`localStorage.setItem('n8n-browserId', '${BROWSER_ID}')`);
	return { context, close: async () => await browser.close() };
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

const INSTALL_CHROMIUM =
	'No Chromium was found: install it (Debian and Ubuntu: `apt-get install chromium`), or set CHROMIUM_PATH to the program of a Chromium or Chrome.';

/**
 * The program that CHROMIUM_PATH names, else the first on PATH that goes by one of the usual names.
 * @throws Error in one line: what to install, or that nothing can be started at CHROMIUM_PATH.
 */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string {
	const { CHROMIUM_PATH: chosen } = env;
	if (chosen) {
		if (isProgram(chosen)) return chosen;
		throw new Error(`CHROMIUM_PATH names no program that can be started: ${chosen}`);
	}
	const found = NAMES.map((name) => findProgram(name, foldersOn(env))).find((path) => path !== undefined);
	if (found === undefined) throw new Error(INSTALL_CHROMIUM);
	return found;
}
