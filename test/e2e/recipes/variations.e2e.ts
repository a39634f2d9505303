import sharp from 'sharp';
import { type Execution, type Item, itemsOf, readExample } from '../../../scripts/n8nHost/documents';
import { colorsOf, nodeOf, pixelsOf, succeeded } from '../support/exampleRuns';
import { findGraphicsMagick } from '../support/findGraphicsMagick';
import { openSession, type Session } from '../support/session';

type Pixels = Awaited<ReturnType<typeof pixelsOf>>;

const EDGE = 128;
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const GRAY = 0x80;

beforeAll(() => void findGraphicsMagick());

/** The recipe with smaller images, so that the test takes less time. */
async function readRecipe() {
	const recipe = await readExample('variations');
	const { parameters } = nodeOf(recipe, 'Prompt and Seeds');
	const entered = JSON.parse(String(parameters.jsonOutput)) as { seeds: number[] };
	expect(entered.seeds).toEqual(SEEDS);
	parameters.jsonOutput = JSON.stringify({ ...entered, width: EDGE, height: EDGE });
	return recipe;
}

/** What the recipe lists for each seed: its job, or its error. */
type Listed = Array<{ seed: number; job_id?: string; error?: string }>;

async function readSheet({ rest }: Session, execution: Execution) {
	const item = itemsOf(execution, 'Contact Sheet')[0] as Item;
	const fileOf = async (field: string): Promise<Buffer> => await rest.binary(String(item.binary?.[field]?.id));
	const sheet = await fileOf('sheet');
	const tileOf = async (index: number) => {
		const place = { left: (index % 3) * EDGE, top: Math.floor(index / 3) * EDGE, width: EDGE, height: EDGE };
		return await pixelsOf(sharp(sheet).removeAlpha().extract(place));
	};
	return {
		listed: item.json.images as Listed,
		properties: item.binary?.sheet,
		metadata: await sharp(sheet).metadata(),
		tiles: await Promise.all(SEEDS.map(async (_, index) => await tileOf(index))),
		images: await Promise.all(SEEDS.map(async (seed) => await colorsOf(await fileOf(`seed_${seed}`)))),
	};
}

/** Compares bytes first: Jest needs minutes to print the difference of two images. */
const expectEqualTiles = (tiles: Pixels[], images: Pixels[]): void => {
	const differing = SEEDS.filter((_, index) => !tiles[index]?.data.equals(images[index]?.data ?? Buffer.of()));
	expect(differing).toEqual([]);
};

const SHEET_SIZE = { format: 'png', width: 3 * EDGE, height: 3 * EDGE };

describe('the recipe "variations"', () => {
	let session: Session;
	beforeEach(async () => {
		session = await openSession();
	});
	afterEach(() => session.close());

	test('puts the images of nine seeds on one sheet in the order of the seeds, and runs nine jobs in each execution', async () => {
		const { sandbox } = session;
		const recipe = await readRecipe();
		const { listed, properties, metadata, tiles, images } = await readSheet(session, succeeded(await session.execute(recipe)));
		expect(metadata).toMatchObject(SHEET_SIZE);
		expect(properties).toMatchObject({ fileName: 'contact-sheet.png', mimeType: 'image/png' });

		const graphs = listed.map(({ job_id }) => sandbox.job(String(job_id))?.graph);
		expect(listed.map(({ seed }) => seed)).toEqual(SEEDS);
		expect(graphs.map((graph) => graph?.['3']?.inputs.seed)).toEqual(SEEDS);
		expect(new Set(graphs.map((graph) => graph?.['6']?.inputs.text))).toEqual(new Set(['a red fox in the snow']));
		expect(new Set(images.map(({ data }) => data.toString('base64'))).size).toBe(SEEDS.length);
		expectEqualTiles(tiles, images);

		expect(sandbox.ledger.runs).toHaveLength(SEEDS.length);
		succeeded(await session.execute(recipe));
		expect(sandbox.ledger.runs).toHaveLength(2 * SEEDS.length);
	});

	test('keeps the other eight images if ComfyUI rejects one seed, and shows its place in gray', async () => {
		const answer = { status: 400, code: 'invalid_workflow', message: 'not this seed' };
		session.sandbox.inject({ on: 'POST /api/v2/jobs', times: 1, skip: 4, answer });
		const { listed, metadata, tiles, images } = await readSheet(session, succeeded(await session.execute(await readRecipe())));
		expect(metadata).toMatchObject(SHEET_SIZE);
		expect(listed.map(({ seed }) => seed).sort()).toEqual(SEEDS);
		const rejected = listed.filter(({ error }) => error !== undefined);
		expect(rejected).toEqual([{ seed: expect.any(Number), error: expect.stringContaining('not this seed') }]);

		const place = SEEDS.indexOf(rejected[0]!.seed);
		expect(tiles[place]?.data.equals(Buffer.alloc(3 * EDGE * EDGE, GRAY))).toBe(true);
		expectEqualTiles(tiles, images);
		expect(new Set(images.map(({ data }) => data.toString('base64'))).size).toBe(SEEDS.length);
		expect(session.sandbox.ledger.runs).toHaveLength(SEEDS.length - 1);
	});
});
