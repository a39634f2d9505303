import type { Page } from 'playwright-core';
import { until } from '../../../e2e/support/until';
import type { OurNode } from '../ourNodes';
import { Canvas } from './canvas';
import { Creator, type CreatorView } from './creator';
import { NodePanel } from './nodePanel';
import { Person } from './person';

const PAGE_OPENS_WITHIN_MS = 20_000;

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
		await this.untilNew(async () => void (await this.page.goto('/workflow/new')));
	}

	/** Opens an empty workflow. If the editor is loaded, it leaves the open workflow first: the editor then reads the credentials again. */
	async newWorkflow(): Promise<void> {
		if (this.page.url() === 'about:blank') return await this.load();
		await this.route('/settings/personal');
		await this.page.getByText('Personal Settings').first().waitFor();
		await this.untilNew(async () => await this.route('/workflow/new'));
	}

	/** Waits for the answer to the last request: what is added to the canvas before it is lost. */
	private async untilNew(open: () => Promise<void>): Promise<void> {
		const named = this.page.waitForResponse((response) => new URL(response.url()).pathname === '/rest/workflows/new');
		await open();
		await named;
		await this.person.find('canvas-add-button').waitFor();
	}

	/**
	 * As a link within the editor does: nothing is loaded a second time. n8n asks about changes that it has not saved yet. If it
	 * saves them meanwhile, the question disappears, and the page stays: then it is opened again.
	 */
	private async route(path: string): Promise<void> {
		const isOpen = ({ pathname }: URL): boolean => pathname.startsWith(path.replace('/new', '/'));
		const wait = { timeout: PAGE_OPENS_WITHIN_MS };
		await until(`the page ${path}`, async () => {
			await this.page.evaluate(`void document.querySelector('#app').__vue_app__.config.globalProperties.$router.push('${path}')`);
			this.page
				.getByRole('button', { name: 'Leave without saving' })
				.click(wait)
				.catch(() => undefined);
			return await this.page.waitForURL(isOpen, wait).then(
				() => true,
				() => undefined,
			);
		});
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
