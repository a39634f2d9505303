/** What Comfy Run Workflow needs: the inputs of a workflow, files in, and outputs on to another job. */
import { randomInt } from 'node:crypto';
import {
	type ApiGraph,
	applyInputs,
	type AssetReference,
	convertValue,
	type Definitions,
	fileInputsOf,
	findInput,
	type GraphInput,
	inputsOf,
	isRecord,
} from '../../../client';
import { classesOf, inverted, spoken, holdSame, negative, type Pixels, pixelsOf, randomPicture } from '../pictures';
import { textToImage } from '../../../test/support/stockGraphs';
import { hold, NotShown, type Report, Unmet } from '../report';
import { pngSource } from '../../../test/client/support/pictures';
import { fileOf, run, type Stage } from '../stage';

/** PNG loses nothing, but ComfyUI counts in fractions in between. */
const ROUNDING = 1;
const LARGEST_SEED = '18446744073709551615';
/** No double holds it. */
const LONG_NUMBER = '9007199254740993';

interface PassedOn {
	reference: AssetReference;
	pixels: Pixels;
}

export async function checkInputs(stage: Stage, report: Report): Promise<void> {
	await report.check('List inputs', async () => {
		const inputs = inputsOf(textToImage, await definitionsOf(stage, textToImage));
		const [first, second] = inputs;
		hold(
			first?.role === 'prompt' && second?.role === 'prompt' && first.label !== second.label,
			`the two prompts are not told apart: ${labelsOf(inputs)}`,
		);
		const limits = (name: string) => inputs.find((input) => input.name === name)?.limits;
		hold(String(limits('3.seed')?.max) === LARGEST_SEED, `a seed goes up to ${limits('3.seed')?.max}, not to ${LARGEST_SEED}`);
		hold(limits('3.sampler_name')?.choices?.includes('euler') === true, 'the samplers are no choice, or euler is not among them');
		return { said: `${inputs.length}, ${first.label} first, with ranges and choices` };
	});

	await report.check('Text output', async () => {
		const said = `${LONG_NUMBER}${randomInt(100, 1000)}`;
		const definitions = await definitionsOf(stage, spoken);
		const missing = classesOf(spoken).find((name) => !isRecord(definitions[name]));
		if (missing !== undefined) throw new NotShown(`not shown: this version has no ${missing}`);
		const graph = changed(spoken, findInput(spoken, 'PrimitiveInt.value', definitions), said);
		const { outputs } = await run(stage, graph);
		const texts = outputs.map(({ text }) => text);
		hold(texts.length === 1 && texts[0] === said, `the job says ${JSON.stringify(texts)}, not "${said}"`);
		return { said: `${said}, every digit of it` };
	});
}

/** Needs no node definitions, which the API proxy does not hand out. */
export async function checkFileInputs(stage: Stage, report: Report): Promise<void> {
	const { folder, inputFolder } = stage;
	const made = await report.check('File input', async (): Promise<{ said: string; value: PassedOn }> => {
		const file = await randomPicture();
		const { asset } = await stage.connection.assets.upload(pngSource(file), {
			filePath: `${inputFolder}/chosen.png`,
			signal: stage.signal,
		});
		const graph = inverted('example.png', `${folder}/chosen`);
		const [input] = fileInputsOf(graph, await definitionsOf(stage, graph));
		hold(input !== undefined, 'the loader takes no file');
		const { output, file: result } = await fileOf(stage, await run(stage, changed(graph, input, stage.connection.assets.reference(asset))));
		const pixels = await pixelsOf(result);
		holdSame(negative(await pixelsOf(file)), pixels, ROUNDING);
		hold(output.reference != null, 'the output cannot be an input of another job');
		return { said: `a file was placed at ${input.label}`, value: { reference: output.reference, pixels } };
	});

	await report.check('Pass an output on', async () => {
		if (made === undefined) throw new Unmet('not tried, because the job before it did not hold');
		const { file } = await fileOf(stage, await run(stage, inverted(made.reference, `${folder}/passed-on`)));
		holdSame(negative(made.pixels), await pixelsOf(file), ROUNDING);
		return { said: 'another job took the picture as its input' };
	});
}

const labelsOf = (inputs: GraphInput[]): string => inputs.map(({ label }) => label).join(', ');

const changed = (graph: ApiGraph, input: GraphInput, value: unknown): ApiGraph =>
	applyInputs(graph, { [input.nodeId]: { [input.input]: convertValue(input, value) } });

const definitionsOf = async ({ connection, signal }: Stage, graph: ApiGraph): Promise<Definitions> =>
	(await connection.control?.nodeDefinitions({ classes: classesOf(graph), signal })) ?? {};
