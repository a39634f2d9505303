import { picture, pngSource } from '../support/pictures';
import { useEngine } from './support/engine';

const engine = useEngine();

test.each(['C:\\pictures\\tom.png', './C:/pictures//tom.png'])('detours in the path %s of an upload are left out', async (filePath) => {
	const { asset } = await engine.connect().assets.upload(pngSource(await picture(0x654321)), { filePath });
	expect(asset).toMatchObject({ name: 'tom.png', subfolder: 'C:/pictures' });
});
