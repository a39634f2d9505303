import { stage } from './support/scenes';
import { creatorViews } from './support/pages/creator';
import { OUR_NODES, RUN, SUBMIT, WAIT } from './support/ourNodes';

const { scene } = stage();

const NAMES = ['comfy', 'comfyui'];
const WISHES = [
	'image generation',
	'generate image',
	'create image',
	'ai image',
	'text to image',
	'image to image',
	'run workflow',
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
const MOST_WANTED = RUN.name;

const ours = (names: string[]): string[] => names.filter((name) => name.startsWith('Comfy'));

describe.each(creatorViews)('the list of nodes: %s', (view) => {
	scene(`E1: every node is found by its name, and first, as by each wish, the one that does it all, at: ${view}`, async (editor) => {
		const creator = await editor.openCreator(view);
		for (const name of NAMES)
			expect([name, ours(await creator.search(name)).sort()]).toEqual([name, OUR_NODES.map((node) => node.name).sort()]);
		for (const words of [...NAMES, ...WISHES]) expect([words, ours(await creator.search(words))[0]]).toEqual([words, MOST_WANTED]);
	});
});

scene('E7: Comfy Wait For Job is one node, not a list of actions', async (editor) => {
	const creator = await editor.openCreator('what happens next');
	await creator.openDetails(WAIT.name);
	const details = await creator.details();
	expect(details).toContain('Add to workflow');
	expect(details).not.toMatch(/Actions/);
});

scene('E1: who looks for a way to run a workflow meets the node that does it all before the one that only submits', async (editor) => {
	const creator = await editor.openCreator('first step');
	await expect(creator.search('run workflow')).resolves.toEqual([RUN.name, SUBMIT.name]);
});
