import sharp from 'sharp';

import { loopOverItems } from '../../support/around';
import { retryAfterDeath } from '../../support/crashed';
import { bytesOf, NODE_NAME, type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { runRun } from '../../support/run';
import { freshSandbox } from '../../support/sandbox';

const sandbox = freshSandbox();

const COLORS = [0x112233, 0x445566, 0x778899];
const items = COLORS.map((color) => ({ json: { graph: JSON.stringify(colorGraph(color)) } }));
const run = (way: 'deployment' | 'engine', more: Partial<NodeRun> = {}) =>
	runRun(credentialFor(sandbox, way), '={{ $json.graph }}', { items, around: loopOverItems(), ...more });

/** What each real run of the node has handed on: its job, the color of the picture, and whether it was found. */
async function delivered(result: NodeResult) {
	const runs = result.runData[NODE_NAME]?.flatMap(({ data }) => data?.main?.[0] ?? []) ?? [];
	const real = runs.filter(({ json }) => json.isArtificialRecoveredEventItem !== true);
	return await Promise.all(
		real.map(async (item) => {
			const [red = 0, green = 0, blue = 0] = await sharp(await bytesOf(item))
				.removeAlpha()
				.raw()
				.toBuffer();
			return { jobId: item.json.job_id, color: red * 0x10000 + green * 0x100 + blue, recovered: item.json.recovered === true };
		}),
	);
}

const jobOf = (color: number) => sandbox.ledger.runs.find(({ jobId }) => sandbox.job(jobId)?.graph['1']?.inputs.color === color)?.jobId;

describe.each(['deployment', 'engine'] as const)('a loop of three runs over %s', (way) => {
	it.each([
		['with default settings, from the trigger', false, [true, true, false]],
		['with saved progress, from the second run', true, [false, true, false]],
	])(
		'creates three jobs and delivers each image once when it is retried after a crash in the second run, %s',
		async (_, savesProgress, found) => {
			const retry = await retryAfterDeath(run(way), { runIndex: 1, savesProgress });
			expect(sandbox.ledger.runs).toHaveLength(2);
			const result = await runNode(retry);
			expect(result.error).toBeUndefined();
			expect(sandbox.ledger.runs).toHaveLength(3);
			expect(await delivered(result)).toEqual(COLORS.map((color, index) => ({ jobId: jobOf(color), color, recovered: found[index] })));
		},
	);
});

it('runs of one node with equal workflows make one job each, in the first start and in a retry', async () => {
	const same = COLORS.map(() => ({ json: { graph: JSON.stringify(colorGraph(COLORS[0] as number)) } }));
	const result = await runNode(await retryAfterDeath(run('engine', { items: same }), { runIndex: 2 }));
	expect(result.error).toBeUndefined();
	expect(sandbox.ledger.runs).toHaveLength(3);
	expect((await delivered(result)).map(({ jobId }) => jobId)).toEqual(sandbox.ledger.runs.map(({ jobId }) => jobId));
});
