import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { version } from '../../package.json';
import { itemsOf, readExample } from '../../scripts/n8nHost/documents';
import { findNodeName } from '../../scripts/demo/steps';
import { sharedHostState, userFolderIn } from './support/host';
import { openSession, type Session } from './support/session';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

const logOfN8n = async (): Promise<string> => await readFile(join(userFolderIn(sharedHostState().folder), 'n8n.log'), 'utf8');

/** The one that all suites share runs with `N8N_LOG_LEVEL=debug`. */
test('step-by-step inverts its picture, n8n’s debug log shows each step, and requests name the version of the package', async () => {
	const before = (await logOfN8n()).length;
	const example = await readExample('step-by-step');
	const execution = await session.execute(example, findNodeName(example, 'n8n-nodes-base.manualTrigger'));
	expect(execution.data.resultData.error).toBeUndefined();
	expect(execution.status).toBe('success');

	const [input, output] = await Promise.all(
		['n8n-nodes-base.convertToFile', 'n8n-nodes-comfy.comfyDownloadOutputs'].map(async (type) => {
			const [item] = itemsOf(execution, findNodeName(example, type));
			return await session.rest.binary(item?.binary?.data?.id ?? 'none');
		}),
	);
	const [expected, saved] = [sharp(input).negate({ alpha: false }), sharp(output)].map((picture) => picture.removeAlpha().raw());
	expect((await saved!.toBuffer()).equals(await expected!.toBuffer())).toBe(true);
	expect(session.sandbox.ledger.runs).toHaveLength(1);

	const lines = (await logOfN8n())
		.slice(before)
		.split('\n')
		.filter((line) => line.includes('Comfy: '));
	const jobId = session.sandbox.ledger.runs[0]?.jobId ?? 'none';
	const { origin } = new URL(session.sandbox.urls.hosted);
	const steps: Array<[node: string, line: string]> = [
		['Upload', `Comfy: POST ${origin}/api/v2/assets → 201 in `],
		['Submit', `Comfy: job ${jobId} is submitted`],
		['Wait', `Comfy: the node waits for job ${jobId} by live events, at most 60 min`],
		['Wait', `Comfy: GET ${origin}/api/v2/jobs/${jobId} → 200 in `],
		['Get Workflow', `Comfy: GET ${origin}/api/v2/jobs/${jobId}/workflow → 200 in `],
		['Download', ' is saved: '],
	];
	// Later lines come later.
	const positions = steps.map(([node, line]) => lines.findIndex((one) => one.includes(line) && one.includes(`"node": "${node}"`)));
	expect(positions).not.toContain(-1);
	expect(positions.toSorted((one, other) => one - other)).toEqual(positions);
	const agents = new Set(session.sandbox.requests('GET /api/v2/jobs/:id').map(({ headers }) => headers['user-agent']));
	expect([...agents]).toEqual([`n8n-nodes-comfy/${version}`]);
	expect(lines.every((line) => !/X-Goog|sig=|token=/i.test(line))).toBe(true);
});
