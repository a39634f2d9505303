import type { Locator, Page } from 'playwright-core';
import type { OurNode } from '../ourNodes';
import { Canvas } from './canvas';
import { Creator, type CreatorView } from './creator';
import { NodePanel } from './nodePanel';
import { Person } from './person';

const PAGE_OPENS_WITHIN_MS = 15_000;
const EDITOR_LOADS_WITHIN_MS = 60_000;

/** n8n's workflow editor, as a person uses it. */
export class Editor {
	readonly person: Person;
	readonly canvas: Canvas;
	readonly creator: Creator;

	constructor(readonly page: Page) {
		this.person = new Person(page);
		this.canvas = new Canvas(this.person);
		this.creator = new Creator(this.person);
	}

	get clicks(): number {
		return this.person.clicks;
	}

	/** Loads n8n's editor, which takes seconds, with an empty workflow. */
	async load(): Promise<void> {
		const named = this.answerForNew(EDITOR_LOADS_WITHIN_MS);
		await this.page.goto('/workflow/new');
		await named;
		await this.emptyCanvas().waitFor();
	}

	/**
	 * Opens an empty workflow. If the editor is loaded, it leaves the open workflow by a link first: the editor then reads the
	 * credentials again. When n8n saves the open workflow meanwhile, it can lead back to it; then the editor is loaded again.
	 */
	async newWorkflow(): Promise<void> {
		if (this.page.url() === 'about:blank') return await this.load();
		await this.newByLink().catch(async () => await this.load());
	}

	private async newByLink(): Promise<void> {
		await this.link('/settings/personal');
		await this.page.getByText('Personal Settings').first().waitFor({ timeout: PAGE_OPENS_WITHIN_MS });
		const named = this.answerForNew(PAGE_OPENS_WITHIN_MS);
		await Promise.all([named, this.link('/workflow/new')]);
		await this.emptyCanvas().waitFor({ timeout: PAGE_OPENS_WITHIN_MS });
	}

	/** n8n asks for the name of a new workflow last: what is added to the canvas before the answer is lost. */
	private async answerForNew(timeout: number): Promise<void> {
		await this.page.waitForResponse((response) => new URL(response.url()).pathname === '/rest/workflows/new', { timeout });
	}

	private emptyCanvas(): Locator {
		return this.person.find('canvas-add-button');
	}

	/** As a link within the editor does: nothing is loaded a second time. n8n asks about changes that it has not saved yet. */
	private async link(path: string): Promise<void> {
		const wait = { timeout: PAGE_OPENS_WITHIN_MS };
		await this.page.evaluate(`void document.querySelector('#app').__vue_app__.config.globalProperties.$router.push('${path}')`);
		this.page
			.getByRole('button', { name: 'Leave without saving' })
			.click(wait)
			.catch(() => undefined);
		await this.page.waitForURL(({ pathname }) => pathname.startsWith(path.replace('/new', '/')), wait);
	}

	/** The workflow's menu > Import > From file. */
	async importFile(path: string): Promise<void> {
		await this.person.choose(this.person.find('workflow-menu').getByRole('button').first(), this.person.find('workflow-menu-item-import'));
		const chooser = this.page.waitForEvent('filechooser');
		await this.person.click(this.page.getByRole('menuitem', { name: 'From file' }));
		await (await chooser).setFiles(path);
		await this.canvas.someNode().waitFor();
		await this.person.click(this.person.find('zoom-to-fit'));
	}

	/** Closes n8n's messages in the corner. They can also close by themselves. */
	async dismissMessages(): Promise<void> {
		const messages = this.page.locator('.el-notification');
		for (let left = await messages.count(); left > 0; left = await messages.count()) {
			await messages
				.first()
				.locator('.el-notification__closeBtn')
				.click({ timeout: 5000 })
				.catch(() => undefined);
		}
	}

	/** Opens the list of nodes in one of the ways that n8n offers. */
	async openCreator(view: CreatorView): Promise<Creator> {
		await this.creator.openAt(view);
		return this.creator;
	}

	/** Opens the panel of a node on the canvas. */
	async openNode(name: string): Promise<NodePanel> {
		await this.person.doubleClick(this.canvas.node(name));
		return await this.openedPanel();
	}

	/** Chooses a node in the open list of nodes; n8n adds it and opens its panel. */
	async add(node: OurNode): Promise<NodePanel> {
		await this.creator.choose(node);
		return await this.openedPanel();
	}

	/** Enters the words in the open list of nodes, and chooses the first result. */
	async addFirst(words: string, node: OurNode): Promise<NodePanel> {
		await this.creator.chooseFirst(words, node);
		return await this.openedPanel();
	}

	private async openedPanel(): Promise<NodePanel> {
		const panel = new NodePanel(this.person);
		await panel.untilOpen();
		return panel;
	}
}
