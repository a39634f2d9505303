import sharp from 'sharp';
import { saveServer } from '../e2e/support/engine';
import { textToImage } from '../support/stockGraphs';
import { chooseForAll, example } from './support/examples';
import { RUN, SUBMIT } from './support/ourNodes';
import { stage } from './support/scenes';
import { pictureAround, pictureOf, shownPictures } from './support/screenshots';

const staged = stage();
const { scene } = staged;

const RUN_WORKFLOW = 'run-workflow.png';
const FLOW = 'first-picture.png';
const RESULT = 'first-picture-result.png';
const ADDRESS = 'self-hosted-credential.png';

/** As people title them. */
const titled = {
	...textToImage,
	'6': { ...textToImage['6'], _meta: { title: 'Positive Prompt' } },
	'7': { ...textToImage['7'], _meta: { title: 'Negative Prompt' } },
};

/** Something is to be seen on it: as wide as a picture in README, and not of one color. */
async function expectPicture(picture: Buffer): Promise<void> {
	expect((await sharp(picture).metadata()).width).toBeGreaterThan(600);
	expect((await sharp(picture).stats()).channels[0]?.stdev).toBeGreaterThan(1);
}

scene('the picture of Comfy Run Workflow can be taken: a prompt chosen from the list, and what was drawn', async (editor) => {
	await editor.page.setViewportSize({ width: 1400, height: 1000 });
	await editor.openCreator('first step');
	const panel = await editor.add(RUN);
	await panel.chooseCredential((await saveServer(staged.session))[0]!);
	await panel.pasteWorkflow(titled);
	const row = panel.inputRow(1);
	await row.choose('Positive Prompt · text');
	await row.enter('a red fox in the snow');
	await panel.run();
	await panel.output.view();
	await editor.dismissMessages();
	await expectPicture(await pictureOf(panel.root, RUN_WORKFLOW));
});

scene('T5: the picture of a flow and the one of its result can be taken', async (editor) => {
	await editor.page.setViewportSize({ width: 1800, height: 900 });
	await editor.importFile(example('first-picture'));
	await chooseForAll(editor, staged.session, 'comfyApi', ['Upload', 'Submit', 'Wait', 'Get Workflow', 'Download']);
	await editor.canvas.execute();
	await editor.canvas.untilDone('Download');
	await editor.dismissMessages();
	await expectPicture(await pictureAround(editor.page, editor.canvas.everything(), FLOW));

	const panel = await editor.openNode('Download');
	await panel.output.viewPicture();
	await expectPicture(await pictureOf(panel.root, RESULT));
});

scene('T5: the picture of the credential for a server of one\'s own can be taken', async (editor) => {
	await editor.openCreator('first step');
	const dialog = await (await editor.add(SUBMIT)).newCredential();
	await dialog.chooseKind('Self-Hosted');
	await editor.dismissMessages();
	await expectPicture(await pictureOf(dialog.root, ADDRESS));
});

test('T5: every picture in docs/ is one that is taken here', async () => {
	expect([RUN_WORKFLOW, FLOW, RESULT, ADDRESS]).toEqual(expect.arrayContaining(await shownPictures()));
});
