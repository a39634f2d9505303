import { stage } from './support/scenes';
import { type Creator, creatorViews } from './support/pages/creator';
import { OUR_NODES, RUN, SUBMIT, WAIT } from './support/ourNodes';

const { scene } = stage();

const WISHES = [
	'image generation',
	'generate image',
	'create image',
	'ai image',
	'text to image',
	'image to image',
	'stable diffusion',
	'flux',
	'sdxl',
	'inpaint',
	'upscale',
	'video',
	'text to video',
	'3d',
];

/** n8n ranks the word "comfy" by the length of names, then by their order in package.json; all other words by what we say of the nodes. */
const search = async (creator: Creator, words: string): Promise<string[]> =>
	(await creator.search(words)).filter((name) => name.startsWith('Comfy'));

scene('E1: in each list of nodes every node is found by its name, and Comfy Run Workflow comes first', async (editor) => {
	for (const view of creatorViews) {
		await editor.newWorkflow();
		const found = await search(await editor.openCreator(view), 'comfy');
		expect([view, found.toSorted()]).toEqual([view, OUR_NODES.map(({ name }) => name).toSorted()]);
		expect([view, found[0]]).toEqual([view, RUN.name]);
	}
});

scene('E1, E7: each wish finds Comfy Run Workflow first, and Comfy Wait For Job is one node, not a list of actions', async (editor) => {
	const creator = await editor.openCreator('first step');
	expect((await search(creator, 'comfyui')).toSorted()).toEqual(OUR_NODES.map(({ name }) => name).toSorted());
	for (const words of ['comfyui', ...WISHES]) expect([words, (await search(creator, words))[0]]).toEqual([words, RUN.name]);
	await expect(creator.search('run workflow')).resolves.toEqual([RUN.name, SUBMIT.name]);
	await creator.openDetails(WAIT.name);
	const details = await creator.root().innerText();
	expect(details).toContain('Add to workflow');
	expect(details).not.toMatch(/Actions/);
});
