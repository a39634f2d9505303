/** The binary frames of the sandbox's hosted surface are those of the specification, row by row. */
import { startSandbox, type Sandbox } from '../../../sandbox';
import { node, slowPicture } from '../graphs';
import { HostedV1 } from './hosted';

let sandbox: Sandbox;
let hosted: HostedV1;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new HostedV1(sandbox);
});
afterAll(async () => await sandbox.close());

describe('binary types', () => {
	const talking = () => ({
		...slowPicture(2),
		talk: node('SandboxTalk', { image: ['sample', 0], text: 'Ümlaut' }),
		save: node('SaveImage', { images: ['talk', 0], filename_prefix: 'talk' }),
	});

	test.each([
		[1, 'PREVIEW_IMAGE: image_type 1 = JPEG', 'plain'],
		[1, 'PREVIEW_IMAGE: image_type 2 = PNG', 'png'],
		[3, 'TEXT: node id and progress text', 'metadata'],
		[4, 'PREVIEW_IMAGE_WITH_METADATA: metadata as JSON, then JPEG or PNG', 'metadata'],
	] as const)('%d %s', async (code, _name, v1Previews) => {
		sandbox.configure({ v1Previews });
		const listener = await hosted.listen();
		const job = await hosted.started(talking());
		await listener.ended(job);
		const [frame] = listener.binaries.filter((binary) => binary.code === code);
		if (code === 1) expect(frame?.imageType).toBe(v1Previews === 'png' ? 2 : 1);
		if (code === 3) expect([frame?.nodeId, frame?.rest.toString('utf8')]).toEqual(['talk', 'Ümlaut']);
		if (code === 4) {
			const fields = ['node_id', 'display_node_id', 'real_node_id', 'prompt_id', 'parent_node_id'];
			expect(Object.keys(frame?.metadata ?? {})).toEqual(expect.arrayContaining(fields));
			expect(frame?.metadata).toMatchObject({ node_id: 'sample', prompt_id: job, parent_node_id: null });
		}
		await listener.close();
		expect(listener.problems).toEqual([]);
	});
});
