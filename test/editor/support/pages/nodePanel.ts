import type { Locator } from 'playwright-core';
import type { SavedCredential } from '../../../../scripts/n8nHost';
import { CredentialDialog } from './credentialDialog';
import { InputRow } from './inputRow';
import { OutputPanel } from './outputPanel';
import type { Person } from './person';

/** The panel of one node: input, parameters, output. */
export class NodePanel {
	readonly output: OutputPanel;

	constructor(private readonly person: Person) {
		this.output = new OutputPanel(person);
	}

	get root(): Locator {
		return this.person.find('ndv');
	}

	async untilOpen(): Promise<void> {
		await this.person.find('node-execute-button').waitFor();
	}

	async close(): Promise<void> {
		await this.person.click(this.person.find('ndv-close-button'));
		await this.root.waitFor({ state: 'hidden' });
	}

	async chooseCredential({ id }: SavedCredential): Promise<void> {
		await this.person.choose(this.person.find('node-credentials-select'), this.person.find(`node-credentials-select-item-${id}`));
	}

	/** The dialog in which a new credential for this node is made. */
	async newCredential(): Promise<CredentialDialog> {
		const first = this.person.find('node-credentials-empty-state').getByRole('button').first();
		const list = this.person.find('node-credentials-select');
		await first.or(list).waitFor();
		if (await first.isVisible()) await this.person.click(first);
		else await this.person.choose(list, this.person.find('node-credentials-select-item-new'));
		const dialog = new CredentialDialog(this.person);
		await dialog.untilOpen();
		return dialog;
	}

	parameter(name: string): Locator {
		return this.root.getByTestId(`parameter-input-${name}`);
	}

	/** Opens what a parameter offers *From List*. n8n offers that only where no expression stands: *Fixed* comes first. */
	async openList(name: string): Promise<Locator> {
		await this.parameter(name).hover();
		await this.person.click(this.root.getByTestId(`${name}-parameter-input-options-container`).getByTestId('radio-button-fixed'));
		await this.person.choose(this.parameter(name).getByTestId('rlc-mode-selector'), this.person.find('mode-list').locator('visible=true'));
		await this.person.click(this.parameter(name).getByTestId('rlc-input'));
		const entries = this.person.find('rlc-item');
		await entries.first().waitFor();
		return entries;
	}

	/** Pastes into a parameter that takes JSON, over what stands there. */
	async pasteJson(name: string, value: object): Promise<void> {
		await this.person.pasteOver(this.parameter(name).locator('.cm-content'), JSON.stringify(value, null, 2));
	}

	/** Clicks into a fresh *Workflow* and pastes: nobody removes its braces first. */
	async pasteWorkflow(graph: object): Promise<void> {
		await this.person.paste(this.parameter('workflow').locator('.cm-content'), JSON.stringify(graph, null, 2));
	}

	/** Row `number` of *Inputs*, from 1 on. */
	inputRow(number: number): InputRow {
		return new InputRow(this.person, this.root, number - 1);
	}

	async addInput(): Promise<void> {
		await this.person.click(this.root.getByRole('button', { name: 'Add Input', exact: true }));
	}

	/** Adds one of *Options*. */
	async addOption(name: string): Promise<void> {
		await this.person.choose(this.root.getByPlaceholder('Add option').last(), this.person.page.getByRole('option', { name, exact: true }).or(this.person.page.locator('.el-select-dropdown__item:visible').filter({ hasText: new RegExp(`^\\s*${name}\\s*$`) })).first());
	}

	/** The list of the option *Outputs*, in its first row. */
	async openOutputs(): Promise<Locator> {
		await this.person.click(this.root.getByRole('button', { name: 'Add Output', exact: true }));
		await this.person.click(this.root.getByTestId('rlc-input').last());
		const entries = this.person.find('rlc-item');
		await entries.first().waitFor();
		return entries;
	}

	/** *Execute step*, until n8n shows that the node did its work. */
	async run(): Promise<void> {
		await this.person.click(this.person.find('node-execute-button'));
		await this.output.untilDone();
	}

	/** Names of the parameters in sight. */
	async parameters(): Promise<string[]> {
		const inputs = await this.root.locator('[data-test-id^="parameter-input-"]:visible').all();
		const ids = await Promise.all(inputs.map(async (input) => (await input.getAttribute('data-test-id')) ?? ''));
		return ids.map((id) => id.slice('parameter-input-'.length));
	}

	/** Labels and texts in sight. */
	async text(): Promise<string> {
		return await this.person.find('node-parameters').innerText();
	}

	/** How many fields n8n marks as wrong: its own red frame and sign, and those of the JSON editor. */
	async redMarks(): Promise<number> {
		return await this.root.locator('.has-issues:visible, .parameter-issues:visible, .cm-lint-marker-error:visible, .cm-lintPoint-error:visible, .cm-lintRange-error:visible').count();
	}
}
