import { type Execution, importWorkflow, itemsOf, readExample, type WorkflowDocument } from '../../../scripts/n8nHost/documents';
import { saveServer } from '../support/engine';
import { colorsOf, nodeOf, succeeded } from '../support/exampleRuns';
import { openSession, type Session } from '../support/session';
import { TRIGGER } from '../support/workflows';

const RUN = 'Comfy Run Workflow';

let session: Session;
beforeEach(async () => {
	session = await openSession();
});
afterEach(() => session.close());

interface Row {
	input: { value: string };
	choice?: { value: string; mode: string };
}

/** The recipe with these files chosen, by the names of their inputs. */
async function readRecipe(chosen: Record<string, string> = {}): Promise<WorkflowDocument> {
	const recipe = await readExample('lora-and-upscaling');
	const { values } = nodeOf(recipe, RUN).parameters.inputs as { values: Row[] };
	for (const [input, value] of Object.entries(chosen)) {
		const row = values.find((one) => one.input.value === input)!;
		row.choice = { ...row.choice!, value };
	}
	return recipe;
}

async function execute(recipe: WorkflowDocument): Promise<Execution> {
	const workflow = await importWorkflow(session.rest, recipe, await saveServer(session));
	return await session.rest.waitFor(await session.rest.run(workflow, TRIGGER));
}

async function readImage(execution: Execution) {
	const [item] = itemsOf(succeeded(execution), RUN);
	const image = await colorsOf(await session.rest.binary(String(item?.binary?.data?.id)));
	return { image, graph: session.sandbox.job(String(item?.json.job_id))?.graph };
}

test('the chosen checkpoint, LoRA and upscale model arrive in ComfyUI and change the image', async () => {
	const { image, graph } = await readImage(await execute(await readRecipe()));
	expect(image).toMatchObject({ width: 1024, height: 1024 });
	expect(graph?.['6']?.inputs.text).toBe('a red fox in the snow');
	expect(graph?.['4']?.inputs.ckpt_name).toBe('v1-5-pruned-emaonly-fp16.safetensors');
	expect(graph?.['10']?.inputs).toMatchObject({ lora_name: 'pixel_art.safetensors', strength_model: 0.8, strength_clip: 0.8 });
	expect(graph?.['11']?.inputs.model_name).toBe('2x_photo.pth');

	const chosen = { '4.ckpt_name': 'midnight_v1.safetensors', '10.lora_name': 'ink/brush.safetensors', '11.model_name': '4x_drawing.pth' };
	const other = await readImage(await execute(await readRecipe(chosen)));
	expect(other.image).toMatchObject({ width: 2048, height: 2048 });
	expect(other.graph?.['4']?.inputs.ckpt_name).toBe('midnight_v1.safetensors');
	expect(other.graph?.['10']?.inputs.lora_name).toBe('ink/brush.safetensors');
	expect(other.graph?.['11']?.inputs.model_name).toBe('4x_drawing.pth');
	expect(session.sandbox.ledger.runs).toHaveLength(2);
});

test.each([
	['10.lora_name', 'pixel_arts.safetensors', 'pixel_art.safetensors'],
	['11.model_name', '2x_photos.pth', '2x_photo.pth'],
])('names similar files if ComfyUI does not have the file of %s, and submits nothing', async (input, wrong, similar) => {
	const execution = await execute(await readRecipe({ [input]: wrong }));
	const { error } = execution.data.resultData;
	expect(execution.status).toBe('error');
	expect(error?.message).toMatch(/^Input \d \(.*\) does not offer the value /);
	expect(error?.message).toContain(input.split('.')[1]);
	expect(error?.message).toContain(`"${wrong}"`);
	expect(error?.description).toContain(`Nothing was sent. Similar values: ${similar}`);
	expect(session.sandbox.ledger.runs).toEqual([]);
});
