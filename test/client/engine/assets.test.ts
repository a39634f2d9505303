import { type UploadOptions } from '../../../client';
import type { EngineConnection } from '../../../client/connection';
import { imageGraph } from '../support/graphs';
import { picture, pngSource } from '../support/pictures';
import { useEngine } from './support/engine';

const engine = useEngine();
const upload = async ({ assets }: EngineConnection, bytes: Uint8Array, options: UploadOptions) =>
	(await assets.upload(pngSource(bytes), options)).asset;

describe('POST /upload/image', () => {
	test('a temporary file is marked in its reference', async () => {
		const connection = engine.connect();
		const asset = await upload(connection, await picture(0x00ff00), { filePath: 'a/t.png', use: 'temp' });
		expect(asset.type).toBe('temp');
		expect(connection.assets.reference(asset)).toBe('a/t.png [temp]');
		await expect(connection.jobs.submit({ graph: imageGraph(connection.assets.reference(asset)) })).resolves.toMatchObject({
			status: 'queued',
		});
	});

	test.each(['C:\\pictures\\tom.png', './C:/pictures//tom.png'])('detours in the path %s are left out', async (filePath) => {
		expect(await upload(engine.connect(), await picture(0x654321), { filePath })).toMatchObject({
			name: 'tom.png',
			subfolder: 'C:/pictures',
		});
	});
});
