import { saveServer } from '../e2e/support/engine';
import { oneColor, savedColor, savedTextToImage } from '../support/editorGraphs';
import { textToImage } from '../support/stockGraphs';
import type { SignIn } from './support/pages/credentialDialog';
import type { Editor } from './support/pages/editor';
import { NodePanel } from './support/pages/nodePanel';
import { paragraphOf, Reader, stepsOf } from './support/reader';
import { stage } from './support/scenes';
import { saveInComfy } from './support/server';

const staged = stage();
const { scene } = staged;

const SECTION = 'Create your first image';
/** As README says it. */
const MOST = { clicks: 10, clicksToPaste: 11, clicksForCredential: 6 };

/** One way to bring a workflow: what changes in it, and into what. */
interface Brought {
	workflow: object;
	input: string;
	value: string;
}

interface Begun {
	address: string;
	saved: Brought;
	pasted: Brought;
}

const prompt = { value: 'a red fox in the snow' };
const color = { value: '14443520' };

const onSandbox = (): Begun => ({
	address: staged.session.sandbox.urls.engine,
	saved: { ...prompt, workflow: savedTextToImage(), input: 'Motif · text' },
	pasted: { ...prompt, workflow: textToImage, input: 'CLIP Text Encode (Prompt) (#6) · text' },
});

/** A ComfyUI as it is installed has no model. */
const onReal = (address: string): Begun => ({
	address,
	saved: { ...color, workflow: savedColor(), input: 'Canvas · color' },
	pasted: { ...color, workflow: oneColor, input: 'Canvas · color' },
});

/** A new n8n without any data. */
async function begin(): Promise<Begun> {
	const { rest } = staged.session;
	for (const credential of await rest.credentials()) await rest.deleteCredential(credential);
	const { COMFYUI_URL: real } = process.env;
	const begun = real === undefined ? onSandbox() : onReal(real);
	await saveInComfy(begun.address, 'fox.json', begun.saved.workflow);
	return begun;
}

class FirstMinutes {
	private readonly reader: Reader;
	private readonly panel: NodePanel;
	private readonly startedAt = Date.now();
	clicksForCredential = 0;

	constructor(
		private readonly editor: Editor,
		private readonly address: string,
		private readonly brought: Brought,
	) {
		this.reader = new Reader(editor.person);
		this.panel = new NodePanel(editor.person);
	}

	async addNode(step: string): Promise<void> {
		await this.reader.follow(step, async () => {
			await this.editor.canvas.addFirstStep(this.reader.choice());
			await this.editor.creator.untilOpen();
			await this.reader.type();
			await this.reader.press();
			await this.reader.press();
			await this.panel.untilOpen();
		});
	}

	async connect(step: string): Promise<void> {
		const before = this.editor.clicks;
		await this.reader.follow(step, async () => {
			await this.reader.press();
			const dialog = await this.panel.openedCredential();
			await dialog.chooseKind(this.reader.choice() as SignIn);
			await this.reader.see();
			await dialog.enter('baseUrl', this.address);
			await this.reader.press();
			await dialog.untilSaved();
		});
		this.clicksForCredential = this.editor.clicks - before;
	}

	async chooseWorkflow(step: string): Promise<void> {
		await this.reader.follow(step, async () => {
			await this.reader.see();
			await this.panel.chooseWorkflow('fox');
		});
	}

	async pasteWorkflow(paragraph: string): Promise<void> {
		await this.reader.follow(/set .*?(?=\.)/.exec(paragraph)?.[0] ?? '', async () => {
			await this.reader.see();
			await this.panel.chooseValue('workflowSource', this.reader.value());
		});
		await this.panel.pasteWorkflow(this.brought.workflow);
	}

	async fillIn(step: string): Promise<void> {
		await this.reader.follow(step, async () => {
			await this.reader.see();
			await this.panel.inputRow(1).choose(this.brought.input);
			await this.reader.see();
			await this.panel.inputRow(1).enter(this.brought.value);
		});
	}

	async runAndSee(step: string): Promise<void> {
		await this.reader.follow(step, async () => {
			await this.reader.press();
			await this.panel.output.untilDone();
			await this.reader.press();
			await this.panel.output.image();
		});
	}

	tell(way: string, most: number): void {
		const seconds = ((Date.now() - this.startedAt) / 1000).toFixed(1);
		const { clicks } = this.editor;
		const where = this.address === process.env.COMFYUI_URL ? this.address : 'the sandbox’s bare ComfyUI';
		process.stdout.write(
			`README, ${SECTION}, ${way}, on ${where}: ${clicks} clicks, ${this.clicksForCredential} of them for the credential, ${seconds} s\n`,
		);
		expect(this.clicksForCredential).toBeLessThanOrEqual(MOST.clicksForCredential);
		expect(clicks - this.clicksForCredential).toBeLessThanOrEqual(most);
	}
}

scene('a user who follows the README word by word, from an empty canvas, sees an image', async (editor) => {
	const { address, saved } = await begin();
	await editor.newWorkflow();
	const minutes = new FirstMinutes(editor, address, saved);
	const [add, connect, choose, fillIn, run, ...more] = stepsOf(SECTION) as [string, string, string, string, string];
	expect(more).toEqual([]);
	await minutes.addNode(add);
	await minutes.connect(connect);
	await minutes.chooseWorkflow(choose);
	await minutes.fillIn(fillIn);
	await minutes.runAndSee(run);
	minutes.tell('all of it', MOST.clicks);
});

scene('a user without a saved workflow pastes one, as the README says, and sees an image', async (editor) => {
	const { address, pasted } = await begin();
	await saveServer(staged.session, { baseUrl: address });
	await editor.newWorkflow();
	const minutes = new FirstMinutes(editor, address, pasted);
	const [add = '', , , fillIn = '', run = ''] = stepsOf(SECTION);
	await minutes.addNode(add);
	await minutes.pasteWorkflow(paragraphOf(SECTION, 'If ComfyUI has no saved workflow'));
	await minutes.fillIn(fillIn);
	await minutes.runAndSee(run);
	minutes.tell('with a credential at hand, pasted', MOST.clicksToPaste);
});

test('README counts as many clicks as are allowed here', () => {
	expect(paragraphOf(SECTION, 'These steps take')).toMatch(
		/^These steps take ten clicks \(eleven with a pasted workflow\), and six for the credential\./,
	);
});
