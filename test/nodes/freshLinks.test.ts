import { bytesOf, runNode } from './support/engine';
import { downloadRun } from './support/files';
import { credentialFor } from './support/flavours';
import { finished } from './support/submit';
import { sharedSandbox } from './support/sandbox';

const sandbox = sharedSandbox();

const image = (color: number, prefix: string, id: number) => ({
	[`${id}`]: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color } },
	[`${id + 1}`]: { class_type: 'SaveImage', inputs: { images: [`${id}`, 0], filename_prefix: prefix } },
});

/** Outputs of v1 and of engines have no ids of their own, and nodes may give their files one name. */
describe.each(['v1', 'bare_engine'] as const)('over %s', (way) => {
	it('T2: a fresh link is that of the same file: by node and name, where outputs have no ids', async () => {
		const credential = credentialFor(sandbox, way);
		const jobId = await finished(sandbox, { ...image(0xff0000, 'red', 1), ...image(0x0000ff, 'blue', 3) }, credential);
		const fileOf = async (nodeIds: string) => {
			const { error, outputs } = await runNode(downloadRun(credential, [jobId], { filters: { nodeIds } }));
			expect(error).toBeUndefined();
			return await bytesOf(outputs[0]?.[0]);
		};
		const [red, blue] = [await fileOf('2'), await fileOf('4')];
		expect(red.equals(blue)).toBe(false);
		sandbox.inject({ on: 'GET /api/view', answer: { status: 410 } });
		expect((await fileOf('4')).equals(blue)).toBe(true);
	});
});
