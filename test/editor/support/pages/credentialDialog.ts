import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';
import { until } from '../../../e2e/support/until';
import type { Person } from './person';

/** The ways to sign in that a node offers, by their labels. */
export type SignIn = 'API Key (Hosted or Deployment)' | 'Self-Hosted';

/** A field that no other kind has. */
const ONLY_OF: Record<SignIn, string> = { 'API Key (Hosted or Deployment)': 'apiKey', 'Self-Hosted': 'engineIsElsewhere' };

/** The dialog that creates or changes a credential. n8n tests it when it is saved. */
export class CredentialDialog {
	constructor(private readonly person: Person) {}

	get root(): Locator {
		return this.person.find('editCredential-modal');
	}

	/** Waits for the name that n8n suggests a moment later. Without a name, n8n does not save the credential. */
	async untilOpen(): Promise<void> {
		await this.person.find('credential-save-button').waitFor();
		await this.person.find('credential-name').waitFor();
	}

	async chooseKind(kind: SignIn): Promise<void> {
		await this.person.choose(
			this.person.find('credential-mode-dropdown-trigger'),
			this.person.page.getByRole('menuitem', { name: kind, exact: true }),
		);
		await this.field(ONLY_OF[kind]).waitFor();
	}

	async enter(field: string, value: string): Promise<void> {
		await this.person.pasteOver(this.field(field).locator('input'), value);
	}

	/** Chooses a value of a field that has a list. */
	async choose(field: string, value: string): Promise<void> {
		await this.person.choose(
			this.field(field),
			this.person.page.locator('.el-select-dropdown__item:visible').filter({ hasText: value }).first(),
		);
	}

	/** Waits until the visible fields have these labels, from top to bottom, including n8n's own fields. */
	async untilLabels(labels: string[]): Promise<void> {
		await until(`the labels ${labels.join(', ')}`, async () => isDeepStrictEqual(await this.labels(), labels) || undefined);
	}

	/** Without the icons that n8n adds to labels. */
	private async labels(): Promise<string[]> {
		const labels = await this.root.locator('label:visible').allInnerTexts();
		return labels.map((label) => label.split('\n', 1).join().replace('*', '').trim()).filter((label) => label !== '');
	}

	/** The default value of a field. */
	async valueOf(field: string): Promise<string> {
		return await this.field(field).locator('input').inputValue();
	}

	async save(): Promise<void> {
		await this.person.click(this.person.find('credential-save-button'));
	}

	/** Saves a credential that passes n8n's test. The dialog closes. */
	async saveWell(): Promise<void> {
		await this.save();
		await this.untilSaved();
	}

	async untilSaved(): Promise<void> {
		await this.root.waitFor({ state: 'hidden' });
	}

	/** Saves a credential that fails n8n's test. Returns the text under *More details*. */
	async saveInVain(): Promise<string> {
		const tested = this.person.page.waitForResponse((response) => response.url().endsWith('/rest/credentials/test'));
		await this.save();
		const { data } = (await (await tested).json()) as { data: { message: string } };
		const refusal = this.root.locator('.el-tag--danger').filter({ hasText: 'Couldn’t connect' });
		const details = refusal.getByText('More details');
		return await until(`"${data.message}" in the dialog`, async () => {
			if (await details.isVisible()) await this.person.click(details);
			const text = (await refusal.innerText()).replace(/\s+/g, ' ');
			return text.includes(data.message.replace(/\s+/g, ' ')) ? text : undefined;
		});
	}

	private field(name: string): Locator {
		return this.root.getByTestId(`parameter-input-${name}`);
	}
}
