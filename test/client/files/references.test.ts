import { isTerminal, type ApiGraph, type Connection, waitForJob } from '../../../client';
import { collect } from '../support/bytes';
import { useSandbox } from '../support/sandbox';
import { runFaster } from '../../support/fastClock';

runFaster(10);
const harness = useSandbox();
const ways: Record<string, () => Connection> = {
	'v2, hosted': () => harness.connect('hosted'),
	'v2, a deployment': () => harness.connect('deployment'),
	'v2, the proxy': () => harness.connect('self_hosted'),
	v1: () => harness.connectV1(),
	'an engine': () => harness.connect('hosted', { interface: 'engine', baseUrl: harness.sandbox.urls.engine, token: undefined }),
};

const made = (saver: string, inputs: Record<string, unknown> = {}): ApiGraph => ({
	1: { class_type: 'EmptyImage', inputs: { width: 24, height: 24, batch_size: 1, color: 0x3060c0 } },
	2: { class_type: saver, inputs: { images: ['1', 0], ...inputs } },
});
const taken = (image: unknown): ApiGraph => ({
	1: { class_type: 'LoadImage', inputs: { image } },
	2: { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
	3: { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'after' } },
});

async function outputOf({ jobs }: Connection, graph: ApiGraph) {
	const { job_id } = await jobs.submit({ graph });
	const { job } = await waitForJob(jobs, job_id, { mode: 'polling', maxWaitMs: 100_000 });
	expect([isTerminal(job.status), job.status, job.job_error]).toEqual([true, 'succeeded', null]);
	const [output] = job.outputs;
	if (output === undefined) throw new Error('It made no output');
	return output;
}

describe.each(Object.entries(ways))('the output of a job is the input of another one, by its reference: %s', (name, open) => {
	it.each<[string, ApiGraph]>([
		['a saved picture', made('SaveImage', { filename_prefix: 'before' })],
		['one in a folder', made('SaveImage', { filename_prefix: 'pets/before' })],
		['a preview', made('PreviewImage')],
	])('%s', async (_, graph) => {
		const connection = open();
		const first = await outputOf(connection, graph);
		const second = await outputOf(connection, taken(first.reference));
		const pixel = async ({ url }: typeof first) => await collect((await connection.assets.download({ url: String(url) })).bytes);
		expect((await pixel(first)).equals(await pixel(second))).toBe(false);
		expect(harness.sandbox.requests().filter(({ path }) => /upload|\/assets$|from-hash/.test(path))).toEqual([]);
	});

	if (name === 'v2, the proxy') {
		it('is named as its engine names it; as an asset, the proxy would send its engine to the wrong folder', async () => {
			const connection = open();
			const { id, name: fileName, reference } = await outputOf(connection, made('SaveImage', { filename_prefix: 'pets/asset' }));
			expect(reference).toBe(`pets/${fileName} [output]`);
			const submitting = connection.jobs.submit({ graph: taken({ __type: 'core/ASSET', info: { id } }) });
			await expect(submitting).rejects.toMatchObject({ status: 422, code: 'invalid_workflow' });
		});
	} else if (name.startsWith('v2')) {
		it('is the reference of an asset', async () => {
			const { id, hash, reference } = await outputOf(open(), made('SaveImage', { filename_prefix: 'b' }));
			expect(reference).toEqual({ __type: 'core/ASSET', info: { id, ...(hash && { hash }) } });
		});
	}
});

it('v1 is told the name as ComfyUI’s own web interface tells it there', async () => {
	const { reference, name } = await outputOf(ways.v1?.() as Connection, made('SaveImage', { filename_prefix: 'pets/before' }));
	expect(reference).toBe(`${name} [output]`);
});

it('an engine is told the folder', async () => {
	const { reference, name } = await outputOf(ways['an engine']?.() as Connection, made('SaveImage', { filename_prefix: 'pets/before' }));
	expect(reference).toBe(`pets/${name} [output]`);
});
