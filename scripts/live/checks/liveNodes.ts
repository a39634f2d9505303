/** What only nodes of our own can show. `comfyNodes/live_nodes.py` defines them; a ComfyUI without them does not show it. */
import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type ApiGraph, type EngineConnection, isWrongKind, useServerSpelling, waitForJob } from '../../../client';
import { assertThat, type Check, CheckSkipped, run, type Stage } from '../stage';

/** What the nodes refuse in an input for images. */
const REFUSED_FORMATS = ['image/heic', 'image/svg+xml', 'video/mp4'].filter((format) => isWrongKind(format, 'image'));
/** The other spelling of each path that `LivePaths` offers. */
const WRITTEN_PATHS = ['one\\small.safetensors', 'two/large.safetensors'];
const OFFERED_PATHS = ['one/small.safetensors', 'two\\large.safetensors'];

async function definitionsOf(stage: Stage, className: string) {
	const { control } = stage.connection as EngineConnection;
	const definitions = await control.nodeDefinitions({ classes: [className], signal: stage.signal });
	if (definitions[className] === undefined) throw new CheckSkipped('it needs scripts/live/comfyNodes/live_nodes.py in custom_nodes');
	return definitions;
}

const seeded = (className: string): ApiGraph => ({ '1': { class_type: className, inputs: { seed: randomInt(0xffffffff) } } });

export const LIVE_NODE_CHECKS: Check[] = [
	{
		name: 'Values',
		check: async (stage) => {
			await definitionsOf(stage, 'LiveValues');
			const { outputs } = await run(stage, seeded('LiveValues'));
			const found = Object.fromEntries(outputs.map(({ name, text, value = text }) => [name, value]));
			const expected = { '1_count.txt': 3, '1_tags.txt': ['fox', 'snow'], '1_size.txt': { width: 16 } };
			assertThat(isDeepStrictEqual(found, expected), `the outputs are ${JSON.stringify(found)}`);
			return 'a number, two texts and an object are outputs';
		},
	},
	{
		name: 'Slashes',
		check: async (stage) => {
			const definitions = await definitionsOf(stage, 'LivePaths');
			const written = Object.fromEntries(WRITTEN_PATHS.map((path, nth) => [String(nth), { class_type: 'LivePaths', inputs: { path } }]));
			const { outputs } = await run(stage, useServerSpelling(written, definitions));
			const ran = outputs.map(({ text }) => text).sort();
			assertThat(isDeepStrictEqual(ran, OFFERED_PATHS), `the paths are ${JSON.stringify(ran)}`);
			return 'a path with the slashes of another system was sent as the server offers it';
		},
	},
	{
		name: 'Image formats',
		check: async (stage) => {
			await definitionsOf(stage, 'LiveImageFormats');
			const { outputs } = await run(stage, { '1': { class_type: 'LiveImageFormats', inputs: {} } });
			const loaded = String(outputs[0]?.text).split(' ');
			const refused = REFUSED_FORMATS.filter((format) => loaded.includes(format));
			assertThat(loaded.includes('image/png') && refused.length === 0, `it loads ${refused.join(', ')}, which the nodes refuse`);
			return `it loads ${loaded.length} formats; ${REFUSED_FORMATS.join(', ')} are refused before the job`;
		},
	},
	{
		name: 'Out of memory',
		check: async (stage) => {
			await definitionsOf(stage, 'LiveOutOfMemory');
			const { connection, signal } = stage;
			const { job_id: id } = await connection.jobs.submit({ graph: seeded('LiveOutOfMemory') }, { signal });
			const { job } = await waitForJob(connection.jobs, id, { mode: 'live', maxWaitMs: Infinity, signal });
			const failure = job.job_error;
			assertThat(failure !== null, `the job ended as ${job.status}, without an error`);
			const { code, exception_type: type = code, message, traceback } = failure;
			assertThat(/OutOfMemoryError$|OOMError$/.test(String(type)), `the type of the error is ${String(type)}`);
			assertThat(message.startsWith('CUDA out of memory.'), `the message is ${JSON.stringify(message)}`);
			assertThat(!/^\s*\^+\s*$/m.test(traceback ?? ''), 'the traceback has rows of markers');
			return `the job failed with ${String(type)}`;
		},
	},
];
