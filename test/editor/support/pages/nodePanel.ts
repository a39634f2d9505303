import type { Locator } from 'playwright-core';
import type { SavedCredential } from '../../../../scripts/n8nHost/documents';
import { until } from '../../../e2e/support/until';
import { CredentialDialog } from './credentialDialog';
import { InputPanel } from './inputPanel';
import { InputRow } from './inputRow';
import { OutputPanel } from './outputPanel';
import type { Person } from './person';

/** The panel of one node: input, parameters, output. */
export class NodePanel {
	readonly input: InputPanel;
	readonly output: OutputPanel;

	constructor(private readonly person: Person) {
		this.input = new InputPanel(person);
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

	/** Chooses by id, because credentials can have the same name. */
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
		return await this.openedCredential();
	}

	async openedCredential(): Promise<CredentialDialog> {
		const dialog = new CredentialDialog(this.person);
		await dialog.untilOpen();
		return dialog;
	}

	parameter(name: string): Locator {
		return this.root.getByTestId(`parameter-input-${name}`);
	}

	/** Opens *From List* of a parameter. It first switches to *Fixed*, because n8n offers no list for an expression. */
	async openList(name: string): Promise<Locator> {
		await this.parameter(name).hover();
		await this.person.click(this.root.getByTestId(`${name}-parameter-input-options-container`).getByTestId('radio-button-fixed'));
		await this.person.choose(this.parameter(name).getByTestId('rlc-mode-selector'), this.person.find('mode-list').locator('visible=true'));
		const entries = this.person.find('rlc-item');
		await this.person.open(this.parameter(name).getByTestId('rlc-input'), entries.first());
		return entries;
	}

	/** Sets *Workflow From*, if it has another value. */
	async takeWorkflowFrom(source: 'Saved In ComfyUI' | 'JSON' | 'File' | 'Job'): Promise<void> {
		if ((await this.parameter('workflowSource').locator('input').inputValue()) !== source) await this.chooseValue('workflowSource', source);
	}

	/** Pastes into *Workflow*, and replaces its text. */
	async pasteWorkflow(graph: object): Promise<void> {
		await this.takeWorkflowFrom('JSON');
		const field = this.parameter('workflow').locator('textarea');
		const text = JSON.stringify(graph, null, 2);
		await ((await field.inputValue()) === '' ? this.person.paste(field, text) : this.person.pasteOver(field, text));
	}

	/** The list of *Saved Workflow*. */
	async openWorkflows(): Promise<Locator> {
		const entries = this.person.find('rlc-item');
		await this.person.open(this.parameter('savedWorkflow').getByTestId('rlc-input'), entries.first());
		return entries;
	}

	/** Chooses an entry of *Saved Workflow*. */
	async chooseWorkflow(name: string): Promise<void> {
		const entries = await this.openWorkflows();
		await this.person.click(entries.filter({ hasText: name }).first());
	}

	/**
	 * Waits until n8n has loaded that the workflow has no form. Then n8n removes added options that are still empty, for
	 * example *Outputs* without a row.
	 */
	async untilNoForm(): Promise<void> {
		await this.root
			.getByTestId('empty-fields-notice')
			.getByText(/^This workflow is not an app/)
			.waitFor();
	}

	/** One field of *App Inputs*. */
	appField(id: string): Locator {
		return this.root.locator(`[data-test-id*="${id}"]`).locator('textarea, input').first();
	}

	/** Row `number` of *Inputs*, from 1 on. */
	inputRow(number: number): InputRow {
		return new InputRow(this.person, this.root, number - 1);
	}

	async addInput(): Promise<void> {
		await this.person.click(this.root.getByRole('button', { name: 'Add Input', exact: true }));
	}

	/** Chooses a value of an added option. */
	async chooseValue(name: string, value: string | RegExp): Promise<void> {
		const list = this.root.locator(`[data-test-id="parameter-input-${name}"], [data-test-id="parameter-input-options.${name}"]`).last();
		await this.person.choose(list, this.person.page.locator('.el-select-dropdown__item:visible').filter({ hasText: value }).first());
	}

	/** Adds an option or a filter. */
	async addTo(placeholder: 'Add option' | 'Add Filter', name: string): Promise<void> {
		await this.person.choose(
			this.root.getByPlaceholder(placeholder).last(),
			this.person.page
				.getByRole('option', { name, exact: true })
				.or(
					this.person.page
						.locator('.el-select-dropdown__item:visible')
						.filter({ hasText: new RegExp(`^\\s*${name.replaceAll(/[()]/g, String.raw`\$&`)}\\s*$`) }),
				)
				.first(),
		);
	}

	/** *Execute step*, until n8n shows that the node succeeded in this execution. The result of an earlier execution stays visible meanwhile. */
	async run(): Promise<void> {
		const { page } = this.person;
		const begun = page.waitForResponse(
			(response) => response.request().method() === 'POST' && /\/rest\/workflows\/[^/]+\/run$/.test(new URL(response.url()).pathname),
		);
		await this.person.click(this.person.find('node-execute-button'));
		const { data } = (await (await begun).json()) as { data: { executionId: string } };
		const headers = { 'browser-id': (await begun).request().headers()['browser-id'] ?? '' };
		await until(`the end of execution ${data.executionId}`, async () => {
			const answer = await page.request.get(`/rest/executions/${data.executionId}`, { headers });
			if (!answer.ok()) throw new Error(`n8n answered ${answer.status()} to a read of an execution`);
			const { status } = ((await answer.json()) as { data: { status: string } }).data;
			return !['new', 'running'].includes(status) || undefined;
		});
		await this.output.untilDone();
	}

	/** Waits until at least these parameters are visible. */
	async untilParameters(names: string[]): Promise<void> {
		await until(`the parameters ${names.join(', ')}`, async () => {
			const shown = await this.parameters();
			return names.every((name) => shown.includes(name)) || undefined;
		});
	}

	/** Names of the visible parameters. */
	async parameters(): Promise<string[]> {
		const inputs = await this.root.locator('[data-test-id^="parameter-input-"]:visible').all();
		const ids = await Promise.all(inputs.map(async (input) => (await input.getAttribute('data-test-id')) ?? ''));
		return ids.map((id) => id.slice('parameter-input-'.length));
	}

	/** Waits until the panel shows this text. */
	async untilText(words: string): Promise<void> {
		await until(`"${words}" in the panel`, async () => (await this.root.innerText()).includes(words) || undefined);
	}

	/** The visible labels and texts. */
	async text(): Promise<string> {
		return await this.person.find('node-parameters').innerText();
	}

	/** The address of the *Docs* link. */
	async docs(): Promise<string> {
		return (
			(await this.root
				.locator('a:visible')
				.filter({ hasText: /^\s*Docs\s*$/ })
				.getAttribute('href')) ?? ''
		);
	}

	/** How many fields n8n marks as wrong: its own red frame and sign, and those of the JSON editor. */
	async redMarks(): Promise<number> {
		return await this.root
			.locator(
				'.has-issues:visible, .parameter-issues:visible, .cm-lint-marker-error:visible, .cm-lintPoint-error:visible, .cm-lintRange-error:visible',
			)
			.count();
	}
}
