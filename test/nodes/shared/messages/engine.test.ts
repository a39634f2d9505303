import { deadOrigin } from '../../../client/support/deadOrigin';
import { until } from '../../../support/until';
import { type Credential, type NodeResult, runNode } from '../../support/engine';
import { fileItem, uploadRun } from '../../support/files';
import { credentialFor } from '../../support/flavours';
import { colorGraph, slowGraph } from '../../support/graphs';
import { submitRun, submitted, waitRun } from '../../support/submit';
import { runFaster } from '../../../support/fastClock';
import { sharedSandbox } from '../../support/sandbox';

runFaster(5);

const MOUNT = '/comfy/one';
const sandbox = sharedSandbox({ engineMount: MOUNT });

/** A self-hosted credential with these fields, and what Interface is set to. */
const server = (changes: object, chosen: Credential['interface'] = 'automatic'): Credential => ({
	...credentialFor(sandbox, 'self_hosted', { ...changes }),
	interface: chosen,
});
const AT_ONCE = { parameters: { options: { keepTryingForSeconds: 0, waitForServerMinutes: 0 } } };
const submit = async (credential: Credential, graph: object = colorGraph(1)) => await runNode(submitRun(credential, graph, AT_ONCE));

function expectFailure({ error, stored }: NodeResult, message: RegExp, ...advice: RegExp[]): void {
	expect(error?.message).toMatch(message);
	for (const pattern of advice) expect(error?.description).toMatch(pattern);
	for (const secret of [sandbox.keys.partnerKey, sandbox.keys.bearer]) expect(stored).not.toContain(secret);
}

it('the address of one server where the other is expected is reported with the interface to choose and the field to change, by two nodes', async () => {
	const runs = [
		(credential: Credential) => submitRun(credential, colorGraph(2), AT_ONCE),
		(credential: Credential) => uploadRun(credential, [fileItem(Buffer.from('x'))]),
	];
	for (const run of runs) {
		expectFailure(
			await runNode(run(server({ baseUrl: sandbox.urls.engine.replace(MOUNT, '') }, 'v2'))),
			/is not the API proxy: it responds like ComfyUI itself/,
			/Set Interface to Automatic or Engine/,
			/enter its address under Address/,
		);
		expectFailure(
			await runNode(run(server({ engineUrl: sandbox.urls.self_hosted }, 'engine'))),
			/is not ComfyUI itself: it may be the API proxy/,
			/Set Interface to Automatic or v2/,
			/ComfyUI At Another Address in the Comfy Self-Hosted API credential.*under ComfyUI Address/,
		);
	}
});

it('a server that does not answer is reported with both addresses, their paths and fields, and one hint about Docker', async () => {
	const [proxy, engine] = [`${await deadOrigin()}/proxy`, `${await deadOrigin()}/comfy`];
	const result = await submit(server({ baseUrl: proxy, engineUrl: engine }));
	expectFailure(
		result,
		new RegExp(
			`No server was found\\. The server at ${proxy} cannot be reached: .* \\(Address\\)\\. The server at ${engine} cannot be reached: .* \\(ComfyUI Address\\)`,
		),
		/Start ComfyUI or its API proxy/,
		/host\.docker\.internal/,
	);
	expect(result.error?.description?.match(/Docker/g)).toHaveLength(1);
});

describe('a login in front of ComfyUI', () => {
	it.each([
		['Sign-In', {}, /requires a sign-in/],
		['ComfyUI Authorization', { engineAuthorizationSecret: 'Basic wrong-marker' }, /did not accept the sign-in/],
		['User and Password', { signIn: 'basic', user: 'ann', password: 'wrong-marker' }, /did not accept the sign-in/],
		['Bearer Token', { signIn: 'bearer', bearerToken: 'wrong-marker' }, /did not accept the sign-in/],
		['Headers', { signIn: 'headers', headers: { values: [{ name: 'X-Key', value: 'wrong-marker' }] } }, /did not accept the sign-in/],
	])('with Interface Engine names %s', async (field, fields, message) => {
		sandbox.configure({ engineAuthorization: 'Basic right' });
		const result = await submit(server(fields, 'engine'));
		expectFailure(result, message, new RegExp(`Check ${field} in the Comfy Self-Hosted API credential`));
		expect(result.stored).not.toContain('wrong-marker');
	});

	it('is reported with both fields when it was found at Address and nothing was entered', async () => {
		sandbox.configure({ engineAuthorization: 'Basic right' });
		const result = await submit(server({ baseUrl: sandbox.urls.engine }));
		expectFailure(result, /The server at http.* requires a sign-in/, /check Sign-In .* check Token/);
	});
});

describe('a ComfyUI that is down behind the proxy', () => {
	beforeEach(async () => {
		await sandbox.stopEngine();
		sandbox.resetRecords();
	});
	afterEach(async () => await sandbox.startEngine());

	it('is reported, and nothing is sent', async () => {
		expectFailure(await submit(server({})), /The API proxy is running, but ComfyUI does not respond/, /Start ComfyUI/);
		expect(sandbox.requests('POST *')).toEqual([]);
	});

	it('is reported if the proxy accepted the item', async () => {
		expectFailure(
			await submit(server({}, 'v2')),
			/may have been submitted: the API proxy accepted it, but ComfyUI did not respond/,
			/Start ComfyUI.*start a new execution.*idempotency key is [0-9a-f-]{36}/s,
		);
	});
});

it('a job that the engine forgot is reported with the advice to submit again, during a wait and before', async () => {
	const credential = server({}, 'engine');
	const jobId = await submitted(sandbox, slowGraph(5_000, 20, 41), credential);
	const waiting = runNode(waitRun(credential, [jobId]));
	await until(() => sandbox.sockets('engine').length > 0 && sandbox.job(jobId)?.status === 'running');
	sandbox.restartEngine();
	for (const result of [await waiting, await runNode(waitRun(credential, [jobId]))])
		expectFailure(result, new RegExp(`ComfyUI no longer has job ${jobId}: it was restarted`), /Submit the workflow again/);
	expect((await waiting).error?.context.data).toMatchObject({
		job_id: jobId,
		interface: 'engine',
		status: 'expired',
		job_error: { code: 'forgotten_by_engine' },
	});
});
