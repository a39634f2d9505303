import { stage } from './support/scenes';
import { creatorViews } from './support/pages/creator';
import { OUR_NODES, SUBMIT, WAIT } from './support/ourNodes';

const { scene } = stage();

const NAMES = ['comfy', 'comfyui'];
const WISHES = ['image generation', 'generate image', 'text to image', 'run workflow', 'stable diffusion', 'flux', 'sdxl', 'inpaint', 'upscale', 'video', '3d'];
/** What most people look for. n8n ranks the word "comfy" by the length of names alone, all other words by what we say of the nodes. */
const MOST_WANTED = SUBMIT.name;

const ours = (names: string[]): string[] => names.filter((name) => name.startsWith('Comfy'));

describe.each(creatorViews)('E1: the list of nodes: %s', (view) => {
	scene(`E1: every node is found by its name, and by each wish the one that runs workflows, at: ${view}`, async (editor) => {
		const creator = await editor.openCreator(view);
		for (const name of NAMES) expect([name, ours(await creator.search(name)).sort()]).toEqual([name, OUR_NODES.map((node) => node.name).sort()]);
		for (const word of ['comfyui', ...WISHES]) expect([word, ours(await creator.search(word))[0]]).toEqual([word, MOST_WANTED]);
	});
});

scene('E7: Comfy Wait For Job is one node, not a list of actions', async (editor) => {
	const creator = await editor.openCreator('what happens next');
	await creator.openDetails(WAIT.name);
	const details = await creator.details();
	expect(details).toContain('Add to workflow');
	expect(details).not.toMatch(/Actions/);
});
