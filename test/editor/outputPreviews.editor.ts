/** Before any run, n8n's editor shows the fields that a node returns, and a person can use them in the next node. */
import { DOWNLOAD, LIST_JOBS, OUR_NODES, RUN } from './support/ourNodes';
import { stage } from './support/scenes';

const staged = stage();
const { scene } = staged;

const UPLOAD = OUR_NODES.find(({ type }) => type === 'comfyUploadAsset') ?? RUN;

scene('the next node shows the fields of Run Workflow before its first run, and one can be dragged into a parameter', async (editor) => {
	await editor.openCreator('first step');
	await (await editor.add(RUN)).close();
	await editor.canvas.plusBehindLast();
	const panel = await editor.add(UPLOAD);
	for (const field of ['job_id', 'file_name', 'reference']) await panel.input.untilField(field);
	await panel.input.drag('file_name', panel.parameter('filePath'), '{{ $json.file_name }}');
	await panel.close();
});

scene('the next node shows the fields of the chosen operation, here of Get Many of jobs', async (editor) => {
	await editor.openCreator('first step');
	await (await editor.add(LIST_JOBS)).close();
	await editor.canvas.plusBehindLast();
	const panel = await editor.add(DOWNLOAD);
	// Cancel, for example, does not return made_by. n8n renders only the fields that fit into the panel.
	for (const field of ['job_id', 'made_by']) await panel.input.untilField(field);
	await panel.close();
	expect(staged.session.sandbox.requests()).toEqual([]);
});
