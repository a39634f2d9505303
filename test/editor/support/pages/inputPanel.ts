import type { Locator } from 'playwright-core';
import { until } from '../../../e2e/support/until';
import type { Person } from './person';

/** A field needs more than one move to be dragged. */
const MOVES = 10;

/** The input on the left of a node's panel: the fields of the nodes before it. */
export class InputPanel {
	constructor(private readonly person: Person) {}

	private get root(): Locator {
		return this.person.find('ndv-input-panel');
	}

	/** A field of the schema view. */
	field(name: string): Locator {
		return this.root.getByTestId('run-data-schema-item').filter({ has: this.person.page.getByText(name, { exact: true }) });
	}

	async untilField(name: string): Promise<void> {
		await this.field(name).first().waitFor();
	}

	/** Drags a field onto a parameter, until the parameter contains the expression. */
	async drag(name: string, parameter: Locator, expression: string): Promise<void> {
		const { mouse } = this.person.page;
		await this.field(name).first().locator('[data-target="mappable"]').hover();
		await mouse.down();
		const box = await parameter.boundingBox();
		if (box === null) throw new Error('The parameter is not visible');
		await mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: MOVES });
		await mouse.up();
		await until(`${expression} in the parameter`, async () => (await parameter.innerText()).includes(expression) || undefined);
	}
}
