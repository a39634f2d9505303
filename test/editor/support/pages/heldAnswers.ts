import type { Page } from 'playwright-core';
import { until } from '../../../e2e/support/until';

const APP_FIELDS = '**/rest/dynamic-node-parameters/resource-mapper-fields';

/** Holds the fields of *App Inputs* that the page asks for from now on, as a ComfyUI that answers slowly would. */
export async function holdAppFields(page: Page) {
	let [asked, answered] = [0, 0];
	let open!: () => void;
	const gate = new Promise<void>((resolve) => (open = resolve));
	await page.route(APP_FIELDS, async (route) => {
		asked += 1;
		await gate;
		await route.fulfill({ response: await route.fetch() });
		answered += 1;
	});
	return {
		/** Until the editor waits for an answer. */
		untilAsked: async () => void (await until('a request for the fields of App Inputs', () => asked > 0 || undefined)),
		/** Lets all answers through, until the editor has them. */
		release: async () => {
			open();
			await until('the fields of App Inputs', () => answered === asked || undefined);
			await page.unroute(APP_FIELDS);
		},
	};
}
