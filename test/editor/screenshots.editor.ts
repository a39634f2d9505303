import sharp from 'sharp';
import { chooseForAll, example } from './support/examples';
import { SUBMIT } from './support/ourNodes';
import { stage } from './support/scenes';
import { pictureAround, pictureOf, shownPictures } from './support/screenshots';

const staged = stage();
const { scene } = staged;

const FLOW = 'first-picture.png';
const RESULT = 'first-picture-result.png';
const ADDRESS = 'self-hosted-credential.png';

/** Something is to be seen on it: as wide as a picture in README, and not of one color. */
async function expectPicture(picture: Buffer): Promise<void> {
	expect((await sharp(picture).metadata()).width).toBeGreaterThan(600);
	expect((await sharp(picture).stats()).channels[0]?.stdev).toBeGreaterThan(1);
}

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
	expect([FLOW, RESULT, ADDRESS]).toEqual(expect.arrayContaining(await shownPictures()));
});
