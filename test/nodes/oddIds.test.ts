import { runNode } from './support/engine';
import { assetRun, downloadRun, workflowRun } from './support/files';
import { credentialFor, type Way } from './support/flavours';
import { manageRun } from './support/manage';
import { routerCredential, routerRun } from './support/router';
import { waitRun } from './support/submit';
import { sharedSandbox } from './support/sandbox';

const sandbox = sharedSandbox();

/** Where nothing is looked for first. */
const WAYS: Way[] = ['hosted', 'self_hosted_token', 'v1', 'engine'];
const ODD: string[] = ['..', '.', 'half a smile \ud83d'];

/** A cancel and a workflow of an engine look through its queue; after a 404 of v1, which anybody may give, it is asked who this is. */
const isOther = (path: string): boolean =>
	/^\/(api\/(queue|system_stats|v2\/jobs\/[0-9a-f]{8}-[0-9a-f-]{27})|rest\/settings|v2\/models)$/.test(path);

describe.each(WAYS)('D12: an id that leads elsewhere, or cannot be written, is told before anything is sent (%s)', (way) => {
	it.each(ODD)('%j', async (id) => {
		const credential = credentialFor(sandbox, way);
		const runs = [
			waitRun(credential, [id]),
			downloadRun(credential, [id]),
			workflowRun(credential, [id]),
			...(['job:get', 'job:cancel'] as const).map((what) => manageRun(credential, what, { parameters: { jobId: id } })),
		];
		for (const run of runs) expect((await runNode(run)).error?.message).toMatch(/knows no such/);
		expect(sandbox.requests().filter(({ path }) => !isOther(path))).toEqual([]);
	});
});

it.each(ODD)('D12: the id %j of an asset', async (id) => {
	const { error } = await runNode(assetRun(credentialFor(sandbox), 'get', { parameters: { assetId: id } }));
	expect(error?.message).toMatch(/knows no such asset/);
	expect(sandbox.requests()).toEqual([]);
});

it('D12: the id "half" a character of a queued request', async () => {
	const { error } = await runNode(routerRun(routerCredential(sandbox), 'request:get', 'lab/free', { parameters: { requestId: '\ud83d' } }));
	expect(error?.message).not.toMatch(/malformed/);
	expect(error?.httpCode).toBe('404');
});

it.each(['__proto__', 'constructor'])('D12: no job of an engine is called %s', async (id) => {
	const { error } = await runNode(manageRun(credentialFor(sandbox, 'engine'), 'job:get', { parameters: { jobId: id } }));
	expect(error?.message).toMatch(/knows no such job/);
});
