import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { projectRoot } from '../n8nHost/environment';
import { CommandFailed, run } from '../n8nHost/processes';
import { DAY_OF_RECORDING, type Output } from '../../test/client/graph/convert/support/recordings';
import { findChromium } from '../../test/editor/support/browser';

/** The built files of a version of ComfyUI's own frontend, downloaded once from its Python package. No file of it is kept in this project. */
export async function ensureFrontend(version: string): Promise<string> {
	const wanted = `comfyui-frontend-package==${version}`;
	const folder = join(projectRoot, '.cache/oracle');
	const whole = join(folder, `frontend-${version}`);
	const files = join(whole, 'comfyui_frontend_package/static');
	if (existsSync(files)) return files;
	const wheels = join(folder, 'wheels');
	const partial = `${whole}.${process.pid}`;
	await mkdir(wheels, { recursive: true });
	try {
		await run('python3', ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', wanted, '--dest', wheels], {
			cwd: folder,
		});
		const wheel = (await readdir(wheels)).find((name) => name.includes(`-${version}-`)) ?? '';
		await run('python3', ['-m', 'zipfile', '--extract', join(wheels, wheel), partial], { cwd: folder });
		if (!existsSync(files)) await rename(partial, whole);
	} catch (error) {
		if (!(error instanceof CommandFailed)) throw error;
		throw new Error(
			`The oracle needs the Python package ${wanted}, python3 with pip, and once the Python package index.\n${error.message}`,
		);
	} finally {
		await rm(partial, { recursive: true, force: true });
	}
	return files;
}

/** What of ComfyUI's page is driven here. */
interface FrontendApp {
	graph?: unknown;
	extensionManager?: unknown;
	loadGraphData: (workflow: unknown, clean: boolean, restoreView: boolean, name: null, options: object) => Promise<void>;
	rootGraph: unknown;
	graphToPrompt: (graph: unknown) => Promise<{ output: Output }>;
}

interface Frontend {
	page: Page;
	/** The API format of an editor's file, as its menu *Export (API)* writes it. */
	export: (text: string) => Promise<Output>;
	close: () => Promise<void>;
}

/** Runs in the page. Dynamic prompts draw at each export: here always the first choice. */
async function exportInPage(text: string): Promise<Output> {
	const { app } = globalThis as unknown as { app: FrontendApp };
	// What an earlier graph leaves behind shows in the next one, where both have a subgraph of one id.
	await app.loadGraphData(
		{ last_node_id: 0, last_link_id: 0, nodes: [], links: [], groups: [], config: {}, extra: {}, version: 0.4 },
		true,
		false,
		null,
		{},
	);
	await new Promise((resolve) => setTimeout(resolve, 50));
	await app.loadGraphData(JSON.parse(text), true, false, null, { showMissingNodesDialog: false, showMissingModelsDialog: false });
	const { random } = Math;
	Math.random = () => 0;
	try {
		return (await app.graphToPrompt(app.rootGraph)).output;
	} finally {
		Math.random = random;
	}
}

/** Extensions and settings are set up a moment after the page has its graph. */
const SETTLED_AFTER_MS = 3_000;

export async function openFrontend(address: string): Promise<Frontend> {
	const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
	const page = await browser.newPage();
	page.on('dialog', (dialog) => void dialog.dismiss());
	await page.clock.setFixedTime(DAY_OF_RECORDING);
	await page.goto(address, { waitUntil: 'domcontentloaded' });
	await page.waitForFunction(
		() => ((app?: FrontendApp) => app?.graph && app.extensionManager)((globalThis as unknown as { app?: FrontendApp }).app),
		null,
		{ timeout: 120_000 },
	);
	await page.waitForTimeout(SETTLED_AFTER_MS);
	return { page, export: async (text) => await page.evaluate(exportInPage, text), close: async () => await browser.close() };
}
