/** Files in, and what becomes of them. */
import { type Asset, assetMasks, type AssetReference, isRecord } from '../../../client';
import { inverted, holdSame, negative, pixelsOf, randomPicture } from '../pictures';
import { hold, type Report, Unmet } from '../report';
import { pngSource } from '../../../test/client/support/pictures';
import { download, fileOf, run, type Stage } from '../stage';

const NAME = 'random.png';
/** PNG loses nothing, but ComfyUI counts in fractions in between. */
const ROUNDING = 1;

interface Uploaded {
	asset: Asset;
	reference: AssetReference;
	file: Buffer;
}

export async function checkFiles(stage: Stage, report: Report): Promise<void> {
	const uploaded = await report.check('Upload', async () => {
		const value = await upload(stage, await randomPicture());
		const wanted = stage.connection.interface === 'engine' ? `${stage.inputFolder}/${NAME}` : value.asset.id;
		hold(nameOf(value.reference) === wanted, `a loader would be given "${nameOf(value.reference)}", not "${wanted}"`);
		return { said: `${value.file.length} bytes as ${wanted}`, value };
	});
	const needed = (): Uploaded => {
		if (uploaded === undefined) throw new Unmet('not tried, because the upload did not hold');
		return uploaded;
	};

	await report.check('Upload again', async () => {
		const { file, reference } = needed();
		const same = nameOf((await upload(stage, file)).reference);
		hold(same === nameOf(reference), `the same bytes got another name: ${same}`);
		const other = nameOf((await upload(stage, await randomPicture())).reference);
		hold(other !== same, 'other bytes under the same name replaced the first file');
		return { said: `the same bytes have the same name; others got ${other}` };
	});

	await report.check('Load and invert', async () => {
		const { file, reference } = needed();
		const { file: result, output } = await fileOf(stage, await run(stage, inverted(reference, `${stage.folder}/inverted`)));
		const input = await pixelsOf(file);
		holdSame(negative(input), await pixelsOf(result), ROUNDING);
		hold(output.reference != null, 'the output cannot be an input of another job');
		const { file: again } = await fileOf(stage, await run(stage, inverted(output.reference, `${stage.folder}/passed-on`)));
		holdSame(negative(await pixelsOf(result)), await pixelsOf(again), ROUNDING);
		return { said: `all ${input.data.length / 3} pixels are the uploaded ones, inverted, and again by another job` };
	});

	// The API proxy takes no masks.
	if (stage.connection.interface === 'v2') return;
	await report.check('Upload mask', async () => {
		const { file, asset } = needed();
		const mask = await randomPicture(4);
		const { connection, signal, inputFolder } = stage;
		const original = { filename: String(asset.name), subfolder: String(asset.subfolder), type: String(asset.type) };
		const { asset: masked } = await assetMasks(connection).upload(pngSource(mask), {
			filePath: `${inputFolder}/masked.png`,
			original,
			signal,
		});
		hold(isRecord(masked) && typeof masked.url === 'string', 'the answer names no file');
		const [picture, alpha, result] = [await pixelsOf(file), await pixelsOf(mask, 4), await pixelsOf(await download(stage, masked.url), 4)];
		const data = Buffer.from(
			alpha.data.map((value, place) => (place % 4 === 3 ? value : (picture.data[Math.floor(place / 4) * 3 + (place % 4)] ?? 0))),
		);
		holdSame({ data, size: picture.size }, result);
		return { said: `${String(masked.name)} has the picture's colors and the mask's transparency` };
	});
}

async function upload({ connection, inputFolder, signal }: Stage, file: Buffer): Promise<Uploaded> {
	const { asset } = await connection.assets.upload(pngSource(file), { filePath: `${inputFolder}/${NAME}`, signal });
	return { asset, reference: connection.assets.reference(asset), file };
}

/** A path for ComfyUI itself, an id for the API proxy. */
const nameOf = (reference: AssetReference): string => (typeof reference === 'string' ? reference : reference.info.id);
