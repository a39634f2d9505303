import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { saveServer } from '../e2e/support/engine';
import { textToImage } from '../support/stockGraphs';
import { evidenceFolder } from './support/evidence';
import type { NodePanel } from './support/pages/nodePanel';
import { stage } from './support/scenes';

const staged = stage();
const { scene } = staged;

const CHECK = { name: 'Comfy Manage Jobs and Queue', type: 'comfyManageJobs', action: 'Check workflow' };
const GET = { name: 'Comfy Get Workflow', type: 'comfyGetWorkflow' };

async function look(panel: NodePanel, name: string): Promise<void> {
	await mkdir(evidenceFolder, { recursive: true });
	await panel.root.screenshot({ path: join(evidenceFolder, `${name}.png`) });
}

const missing = {
	...textToImage,
	'4': { ...textToImage['4'], inputs: { ckpt_name: 'foxes.safetensors' } },
	'20': { class_type: 'VHS_VideoCombine', inputs: { images: ['8', 0] }, _meta: { title: 'Film' } },
};

scene('Check workflow says what is missing, in words', async (editor) => {
	await editor.openCreator('first step');
	const panel = await editor.add(CHECK);
	await panel.chooseCredential((await saveServer(staged.session))[0]!);
	await panel.untilParameters(['workflowSource', 'savedWorkflow']);
	await panel.pasteWorkflow(missing);
	await panel.run();
	await panel.untilText('The workflow cannot run here: this ComfyUI lacks 1 node class and 1 model.');
	await panel.untilText('foxes.safetensors');
	await look(panel, 'check-workflow');
	expect(await panel.redMarks()).toBe(0);
});

scene('Get Workflow reads from elsewhere as well, and converts', async (editor) => {
	await editor.openCreator('first step');
	const panel = await editor.add(GET);
	await panel.chooseCredential((await saveServer(staged.session))[0]!);
	await panel.untilParameters(['workflowSource', 'jobId', 'outputAs', 'convertToApi']);
	await look(panel, 'get-workflow-job');
	await panel.pasteWorkflow(textToImage);
	expect(await panel.parameters()).not.toContain('jobId');
	await panel.run();
	await panel.untilText('CLIP Text Encode (Prompt)');
	await look(panel, 'get-workflow-json');
});
