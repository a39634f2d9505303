import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readExample } from '../../scripts/n8nHost';
import { projectRoot } from '../../scripts/n8nHost/paths';
import { nodeNamed } from '../../scripts/demo/steps';
import { userFolderIn } from './support/host';
import { sharedHostState } from './support/hostState';
import { openSession, type Session } from './support/session';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

const logOfN8n = async (): Promise<string> => await readFile(join(userFolderIn(sharedHostState().folder), 'n8n.log'), 'utf8');

/** The one that all suites share runs with `N8N_LOG_LEVEL=debug`. */
test('the debug log of n8n shows each step of step-by-step, and requests name the version of the installed package', async () => {
	const before = (await logOfN8n()).length;
	const example = await readExample('step-by-step');
	const execution = await session.execute(example, nodeNamed(example, 'n8n-nodes-base.manualTrigger'));
	expect(execution.status).toBe('success');

	const story = (await logOfN8n())
		.slice(before)
		.split('\n')
		.filter((line) => line.includes('Comfy: '));
	const jobId = session.sandbox.ledger.runs[0]?.jobId ?? 'none';
	const { origin } = new URL(session.sandbox.urls.hosted);
	const expected: Array<[node: string, line: string]> = [
		['Upload', `Comfy: POST ${origin}/api/v2/assets → 201 in `],
		['Submit', `Comfy: job ${jobId} is submitted`],
		['Wait', `Comfy: waiting for job ${jobId} by live events, 60 min at most`],
		['Wait', `Comfy: GET ${origin}/api/v2/jobs/${jobId} → 200 in `],
		['Get Workflow', `Comfy: GET ${origin}/api/v2/jobs/${jobId}/workflow → 200 in `],
		['Download', 'saved output '],
	];
	// Later lines come later.
	const places = expected.map(([node, line]) => story.findIndex((one) => one.includes(line) && one.includes(`"node": "${node}"`)));
	expect(places).not.toContain(-1);
	expect(places.toSorted((one, other) => one - other)).toEqual(places);
	const { version } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
	const agents = new Set(session.sandbox.requests('GET /api/v2/jobs/:id').map(({ headers }) => headers['user-agent']));
	expect([...agents]).toEqual([`n8n-nodes-comfy/${version}`]);
	expect(story.every((line) => !/X-Goog|sig=|token=/i.test(line))).toBe(true);
});
