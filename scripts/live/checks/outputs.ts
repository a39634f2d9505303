/** What ComfyUI reports in addition to saved files: texts, previews, files of its input folder, and a file that was deleted. */
import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ApiError, type ApiGraph, isRecord, type JobOutput, outcomeOf } from '../../../client';
import { colorGraph } from '../pictures';
import { assertThat, CheckSkipped, download, downloadOutput, type Report, run, type Stage } from '../stage';

const NOT_FOUND = 404;

const showText = (source: unknown): ApiGraph[string] => ({ class_type: 'PreviewAny', inputs: { source } });
const showModel = (model_file: string): ApiGraph[string] => ({ class_type: 'Preview3D', inputs: { model_file } });

/** Its nodes 5 to 7 show a temporary image, a model of the input folder, and a model of the output folder. */
const shownGraph = (prefix: string): ApiGraph => ({
	...colorGraph(randomInt(0x1000000), prefix),
	'5': { class_type: 'PreviewImage', inputs: { images: ['3', 0] } },
	'6': showModel('chair.glb [input]'),
	'7': showModel('chair.glb [output]'),
});

const folderOf = ({ file_reference: file }: JobOutput): string => (isRecord(file) ? String(file.type) : 'none');

const byNode = ([a = '']: string[], [b = '']: string[]): number => a.localeCompare(b);

export async function checkOutputs(stage: Stage, report: Report): Promise<void> {
	await report.check('Texts', async () => {
		const { outputs } = await run(stage, { '1': showText('fox'), '2': showText(42) });
		const shown = outputs.map(({ node_id, type, text }) => [node_id, type, String(text)]).sort(byNode);
		const expected = [
			['1', 'text', 'fox'],
			['2', 'text', '42'],
		];
		assertThat(isDeepStrictEqual(shown, expected), `the outputs are ${JSON.stringify(outputs)}`);
		return { said: 'the texts of two nodes are outputs' };
	});

	await report.check('Previews and inputs', async () => {
		const { outputs } = await run(stage, shownGraph(`${stage.folder}/shown`));
		const shown = outputs.map((output) => [output.node_id, folderOf(output)]).sort(byNode);
		const expected = [
			['4', 'output'],
			['5', 'temp'],
			['7', 'output'],
		];
		assertThat(isDeepStrictEqual(shown, expected), `the outputs are ${JSON.stringify(outputs)}`);
		return { said: 'a preview is a temporary output, and a file of the input folder is no output' };
	});

	await report.check('Deleted output', async () => {
		const { outputFolder, folder } = stage;
		if (outputFolder === undefined) throw new CheckSkipped('it needs the output folder of ComfyUI on this computer: --output');
		const graph = colorGraph(randomInt(0x1000000), `${folder}/deleted`);
		const { output } = await downloadOutput(stage, await run(stage, graph));
		await rm(path.join(outputFolder, folder, output.name));
		const { outputs } = await run(stage, graph);
		const read = await outcomeOf(download(stage, outputs[0]?.url ?? ''));
		if (read.ok) return { said: `the second job saved ${outputs[0]?.name} again` };
		assertThat(read.error instanceof ApiError && read.error.status === NOT_FOUND, `it is not reported as missing: ${String(read.error)}`);
		return { said: 'the second job came from the cache of ComfyUI, and its file is reported as missing' };
	});
}
