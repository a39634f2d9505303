import type { Page } from 'playwright-core';
import { openSession, type Session } from '../../e2e/support/session';
import { sharedHostState } from '../../e2e/support/host';
import { openBrowser, type SignedInBrowser } from './browser';
import { withEvidence } from './screenshots';
import { Editor } from './pages/editor';

interface Stage {
	/** The suite's own sandbox, and n8n by its interface. */
	readonly session: Session;
	/** A test that begins in the editor of an empty workflow; when it fails, the page is shown. */
	scene(title: string, play: (editor: Editor) => Promise<void>): void;
}

/** Opens a browser and a session for the suite that calls it. */
export function stage(): Stage {
	let session: Session;
	let browser: SignedInBrowser;
	/** All scenes use the same page, because n8n's editor takes long to load. A page that failed is not used again. */
	let open: Page | undefined;
	beforeAll(async () => {
		session = await openSession();
		browser = await openBrowser(sharedHostState());
	});
	afterAll(async () => {
		await Promise.all([browser.close(), session.close()]);
	});

	return {
		get session() {
			return session;
		},
		scene: (title, play) =>
			test(title, async () => {
				const page = open ?? (await browser.context.newPage());
				open = undefined;
				try {
					const editor = new Editor(page);
					await editor.newWorkflow();
					await play(editor);
					open = page;
				} catch (error) {
					const failure = await withEvidence(error, title, page);
					await page.close();
					throw failure;
				}
			}),
	};
}
