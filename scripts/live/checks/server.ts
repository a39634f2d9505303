/** The server itself, and outputs that only ComfyUI itself reports: texts, previews, and files of its input folder. */
import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
	ApiError,
	type ApiGraph,
	connect,
	type EngineConnection,
	isRecord,
	outcomeOf,
	replaceInGraph,
	type WorkflowLibrary,
} from '../../../client';
import { colorGraph } from '../pictures';
import { assertThat, type Check, CheckSkipped, run, type Stage } from '../stage';

const GIB = 1024 ** 3;
const UNKNOWN_USER = 'n8n-nodes-comfy-unknown';

const engineOf = ({ connection }: Stage): EngineConnection => connection as EngineConnection;
const newGraph = ({ folder }: Stage): ApiGraph => colorGraph(randomInt(0xffffff), `${folder}/server`);

const showText = (source: unknown): ApiGraph[string] => ({ class_type: 'PreviewAny', inputs: { source } });
const showModel = (model_file: string): ApiGraph[string] => ({ class_type: 'Preview3D', inputs: { model_file } });

/** Its nodes 5 to 8 show a temporary image, a model of the input folder, a model of the output folder, and a text. */
const shownGraph = (prefix: string): ApiGraph => ({
	...colorGraph(randomInt(0x1000000), prefix),
	'5': { class_type: 'PreviewImage', inputs: { images: ['3', 0] } },
	'6': showModel('chair.glb [input]'),
	'7': showModel('chair.glb [output]'),
	'8': showText('fox'),
});

export const SERVER_CHECKS: Check[] = [
	{
		name: 'Texts and previews',
		check: async (stage) => {
			const { outputs } = await run(stage, shownGraph(`${stage.folder}/shown`));
			const shown = outputs.map(({ node_id: node, text, file_reference: file }) => [node, isRecord(file) ? file.type : text]);
			const expected = [
				['4', 'output'],
				['5', 'temp'],
				['7', 'output'],
				['8', 'fox'],
			];
			assertThat(isDeepStrictEqual(shown.sort(), expected), `the outputs are ${JSON.stringify(outputs)}`);
			return 'a text and a temporary preview are outputs, and a file of the input folder is not';
		},
	},
	{
		name: 'Server information',
		check: async (stage) => {
			const { devices, ram_free: free, ram_total: total } = await engineOf(stage).maintenance.info(stage);
			assertThat(devices.length > 0 && free !== null && total !== null, 'the answer has no device or no memory');
			return `${devices.map(({ name }) => name).join(', ')}, ${(free / GIB).toFixed(1)} of ${(total / GIB).toFixed(1)} GiB of memory free`;
		},
	},
	{
		name: 'Log of the server',
		check: async (stage) => {
			const { jobs } = engineOf(stage);
			const [first, second] = [await run(stage, newGraph(stage)), await run(stage, newGraph(stage))];
			const logs = [await jobs.log?.(first, stage), await jobs.log?.(second, stage)];
			const counts = logs.map((log) => log?.text.split('Prompt executed').length ?? 0);
			assertThat(
				counts.every((count) => count > 2),
				`the log of the server does not show both jobs: ${logs[1]?.text.slice(-200)}`,
			);
			return `it shows two jobs, in ${logs[1]?.text.split('\n').length} lines`;
		},
	},
	{
		name: 'Models',
		check: async (stage) => {
			const { maintenance } = engineOf(stage);
			const folders = await maintenance.modelFolders(stage);
			assertThat(folders.length > 0, 'no folder holds models');
			const lists = await Promise.all(folders.map(async (folder) => await maintenance.models(folder, stage)));
			assertThat(!lists.includes(undefined), `there is no folder ${folders[lists.indexOf(undefined)]}, which is in the list of folders`);
			assertThat((await maintenance.models('unknown folder', stage)) === undefined, 'a folder that does not exist has models');
			return `${lists.flat().length} in ${folders.length} folders`;
		},
	},
	{
		name: 'Retired nodes',
		check: async (stage) => {
			const { control } = engineOf(stage);
			const { 7: viewer, ...graph } = shownGraph(`${stage.folder}/retired`);
			const old: ApiGraph = { ...graph, 7: { ...viewer, class_type: 'Preview3DAnimation', inputs: viewer?.inputs ?? {} } };
			const definitions = await control.nodeDefinitions({ ...stage, classes: ['Preview3D', 'Preview3DAnimation'] });
			const replaced = replaceInGraph(old, definitions, await control.nodeReplacements(stage));
			if (replaced.notes.length === 0) throw new CheckSkipped('not shown: this ComfyUI has no replacement for Preview3DAnimation');
			const { outputs } = await run(stage, replaced.graph);
			assertThat(
				outputs.some(({ node_id: node }) => node === '7'),
				'the replaced node has no output',
			);
			return 'Preview3D ran in place of Preview3DAnimation';
		},
	},
	{
		name: 'Free memory',
		check: async (stage) => {
			const graph = newGraph(stage);
			await run(stage, graph);
			await engineOf(stage).maintenance.freeMemory({ caches: true }, stage);
			await run(stage, graph);
			return 'the models and caches were freed, and the next job succeeded';
		},
	},
	{
		name: 'Clear history',
		check: async (stage) => {
			const { maintenance, records } = engineOf(stage);
			const [cleared, kept] = [await run(stage, newGraph(stage)), await run(stage, newGraph(stage))];
			await maintenance.clearHistory([cleared.job_id], stage);
			assertThat((await records.ended(cleared.job_id, stage)) === undefined, 'the job is still in the history');
			assertThat((await records.ended(kept.job_id, stage)) !== undefined, 'another job is gone as well');
			return 'one job was removed, and another one stayed';
		},
	},
	{
		name: 'Users',
		check: async (stage) => {
			const users = await engineOf(stage).maintenance.users(stage);
			if (users === undefined) throw new CheckSkipped('not shown: ComfyUI was started without --multi-user');
			const stranger = connect({ ...stage.settings, headers: { 'comfy-user': UNKNOWN_USER } });
			const listed = await outcomeOf((stranger.library as WorkflowLibrary).list(stage));
			await stranger.close();
			assertThat(!listed.ok, 'a user that does not exist can read saved workflows');
			assertThat(listed.error instanceof ApiError, 'the error for a user that does not exist is not readable');
			return `${Object.values(users).join(', ')}; a user that does not exist is rejected`;
		},
	},
];
