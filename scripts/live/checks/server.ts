/** The server itself: versions, models, memory, history and users. Only ComfyUI itself has these functions. */
import { randomInt } from 'node:crypto';
import { ApiError, connect, type EngineConnection, outcomeOf, type WorkflowLibrary } from '../../../client';
import { colorGraph } from '../pictures';
import { assertThat, CheckFailure, CheckSkipped, type Report, run, type Stage } from '../stage';

const GIB = 1024 ** 3;
const LOADER = 'CheckpointLoaderSimple';
const UNKNOWN_USER = 'n8n-nodes-comfy-unknown';

const newGraph = (stage: Stage) => colorGraph(randomInt(0xffffff), `${stage.folder}/server`);

export async function checkServer(stage: Stage, report: Report): Promise<void> {
	const { connection, signal } = stage;
	if (connection.interface !== 'engine') throw new Error('The checks of the server need ComfyUI itself');
	const { maintenance, control, records } = connection;

	await report.check('Server information', async () => {
		const { devices, ram_free: free, ram_total: total, start_arguments: words } = await maintenance.info({ signal });
		assertThat(devices.length > 0 && free !== null && total !== null, 'the answer has no device or no memory');
		const memory = `${(free / GIB).toFixed(1)} of ${(total / GIB).toFixed(1)} GiB of memory free`;
		return {
			said: `${devices.map(({ name }) => name).join(', ')}, ${memory}${words === null ? '' : `, started with ${words.length} words`}`,
		};
	});

	await report.check('Models', async () => {
		const folders = await maintenance.modelFolders({ signal });
		assertThat(folders.length > 0, 'no folder holds models');
		const lists = await Promise.all(folders.map(async (folder) => await maintenance.models(folder, { signal })));
		assertThat(!lists.includes(undefined), `there is no folder ${folders[lists.indexOf(undefined)]}, which is in the list of folders`);
		await assertSameChoices(control, (await maintenance.models('checkpoints', { signal }))?.map(({ name }) => name) ?? [], signal);
		assertThat((await maintenance.models('unknown folder', { signal })) === undefined, 'a folder that does not exist has models');
		return { said: `${lists.flat().length} in ${folders.length} folders` };
	});

	await report.check('Free memory', async () => {
		const graph = newGraph(stage);
		await run(stage, graph);
		await maintenance.freeMemory({ caches: true }, { signal });
		await run(stage, graph);
		return { said: 'the models and caches were freed, and the next job succeeded' };
	});

	await report.check('Clear history', async () => {
		const [cleared, kept] = [await run(stage, newGraph(stage)), await run(stage, newGraph(stage))];
		await maintenance.clearHistory([cleared.job_id], { signal });
		assertThat((await records.ended(cleared.job_id, { signal })) === undefined, 'the job is still in the history');
		assertThat((await records.ended(kept.job_id, { signal })) !== undefined, 'another job is gone as well');
		return { said: 'one job was removed, and another one stayed' };
	});

	await report.check('Users', async () => {
		const users = await maintenance.users({ signal });
		if (users === undefined) throw new CheckSkipped('not shown: ComfyUI was started without --multi-user');
		const stranger = connect({ ...stage.settings, headers: { 'comfy-user': UNKNOWN_USER } }) as EngineConnection;
		const listed = await outcomeOf((stranger.library as WorkflowLibrary).list({ signal }));
		await stranger.close();
		if (listed.ok) throw new CheckFailure('a user that does not exist can read saved workflows');
		assertThat(listed.error instanceof ApiError, 'the error for a user that does not exist is not readable');
		return { said: `${Object.values(users).join(', ')}; a user that does not exist is rejected` };
	});
}

/** The names of the models are the choices of the node that loads them. */
async function assertSameChoices(control: EngineConnection['control'], names: string[], signal: AbortSignal): Promise<void> {
	const { [LOADER]: definition } = await control.nodeDefinitions({ classes: [LOADER], signal });
	const { required } = (definition?.input ?? {}) as { required?: Record<string, unknown[]> };
	const [choices, settings] = required?.ckpt_name ?? [];
	const offered = Array.isArray(choices) ? choices : ((settings as { options?: unknown[] } | undefined)?.options ?? []);
	assertThat(
		[...offered].sort().join('\n') === [...names].sort().join('\n'),
		`${LOADER} offers ${offered.length} models, but the folder checkpoints has ${names.length}`,
	);
}
