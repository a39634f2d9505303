import type { Page } from 'playwright-core';
import { until } from '../../../e2e/support/until';

const APP_FIELDS = '**/rest/dynamic-node-parameters/resource-mapper-fields';

/** The fields of *App Inputs*, on their way to the editor: as from a ComfyUI that answers slowly. */
export class HeldAnswers {
	private asked = 0;
	private answered = 0;
	private readonly gate: Promise<void>;
	private open!: () => void;

	private constructor() {
		this.gate = new Promise((resolve) => {
			this.open = resolve;
		});
	}

	/** Holds each answer that the page asks for from now on, until `release`. */
	static async appFields(page: Page): Promise<HeldAnswers> {
		const held = new HeldAnswers();
		await page.route(APP_FIELDS, async (route) => {
			held.asked += 1;
			await held.gate;
			await route.fulfill({ response: await route.fetch() });
			held.answered += 1;
		});
		return held;
	}

	/** Until the editor waits for an answer. */
	async untilAsked(): Promise<void> {
		await until('a request for the fields of App Inputs', () => this.asked > 0 || undefined);
	}

	/** Lets all answers through, until the editor has them. */
	async release(): Promise<void> {
		this.open();
		await until('the fields of App Inputs', () => this.answered === this.asked || undefined);
	}
}
