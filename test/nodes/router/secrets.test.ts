import type { FaultRule } from '../../../sandbox';
import { runFaster } from '../../support/fastClock';
import { hurryClock } from '../support/clock';
import { type NodeResult, type NodeRun, type RouterCredential, runNode } from '../support/engine';
import { fileItem } from '../support/files';
import { collectLog } from '../support/log';
import { jsonRun, routerCredential, routerRun, routerWays } from '../support/router';
import { sharedSandbox } from '../support/sandbox';
import { jsons } from '../support/submit';

runFaster(5);

const sandbox = sharedSandbox();
/** What the process and the nodes have logged. */
const logged: string[] = [];
const debugLog = collectLog();
beforeEach(() => {
	debugLog.lines.length = 0;
	for (const stream of [process.stdout, process.stderr]) {
		jest.spyOn(stream, 'write').mockImplementation((chunk) => logged.push(String(chunk)) > 0);
	}
});

const MARKER = 'marker-9e4d2';
const NOW = { maxWaitMinutes: 0 };

const operations = (credential: RouterCredential): NodeRun[] => {
	const inputFiles = { values: [{ field: 'image', binaryField: 'data' }] };
	const request = { parameters: { requestId: 'none' } };
	return [
		jsonRun(credential, 'lab/image', { prompt: 'a lighthouse' }, { parameters: NOW }),
		jsonRun(credential, 'lab/open', {}, { items: [fileItem(Buffer.from('x'))], parameters: { ...NOW, inputFiles } }),
		jsonRun(credential, 'lab/free', { prompt: 'a lighthouse' }, { parameters: { ...NOW, delivery: 'queued' } }),
		routerRun(credential, 'model:get', 'lab/image'),
		routerRun(credential, 'model:getAll', '', { parameters: { limit: 3 } }),
		routerRun(credential, 'model:getInputSchema', 'lab/image'),
		routerRun(credential, 'request:get', 'lab/free', request),
		routerRun(credential, 'request:cancel', 'lab/free', request),
	];
};

/** Where a secret has got to. The query of a signed link may stand in an item, but never in an error. */
function leaksOf(result: NodeResult): string[] {
	const { outputs, error, stored, hints } = result;
	const places = { outputs, error, stored, hints, logged, debugLog: debugLog.lines };
	const secrets = [MARKER, ...Object.values(sandbox.keys)];
	const leaks = Object.entries(places).flatMap(([place, content]) =>
		secrets.flatMap((secret) => (String(JSON.stringify(content)).includes(secret) ? [`${secret} in ${place}`] : [])),
	);
	const said = [error, hints, ...jsons(result).map((item) => [item.error, item.error_description, item.error_facts, item.files])];
	return /X-Goog-|GOOG4/.test(JSON.stringify(said)) ? [...leaks, 'a signed link'] : leaks;
}

async function leaksOfAll(credential: RouterCredential): Promise<string[]> {
	const runs = operations(credential).flatMap((run) =>
		(['stopWorkflow', 'continueRegularOutput'] as const).map(async (onError) =>
			leaksOf(await runNode({ ...run, logger: debugLog.logger, settings: { onError } })),
		),
	);
	return (await Promise.all(runs)).flat();
}

describe.each(routerWays)('no operation lets a secret out (%s)', (way) => {
	it('when all goes well, and when the key is wrong', async () => {
		expect(await leaksOfAll(routerCredential(sandbox, way))).toEqual([]);
		const wrong = { apiKey: `${MARKER}-key`, token: `${MARKER}-token`, partnerApiKey: `${MARKER}-partner` };
		expect(await leaksOfAll(routerCredential(sandbox, way, wrong))).toEqual([]);
	});

	const storageIsDown = { status: 503, body: '<Error>X-Goog-Signature=abc</Error>', headers: { 'content-type': 'application/xml' } };
	const repeats = (secret: string) => [{ loc: ['header', secret], msg: `got ${secret}`, type: 'x', input: { key: secret } }];
	it.each<[string, (secret: string) => Partial<FaultRule>]>([
		['a web page', () => ({ answer: { status: 403, html: true } })],
		['a lost answer', () => ({ fault: { kind: 'drop_after' } })],
		['an answer that repeats what was sent', (secret) => ({ answer: { status: 422, code: 'invalid_input', details: repeats(secret) } })],
		['a storage of results that is down', () => ({ on: 'GET *', surface: 'storage', answer: storageIsDown })],
	])('through %s', async (_, faultFor) => {
		const credential = routerCredential(sandbox, way);
		const fault = faultFor(String(credential.data.apiKey ?? credential.data.token));
		// Where the storage is down, runs must come to their results within what is left.
		hurryClock(fault.surface === 'storage' ? 20 : undefined);
		sandbox.inject({ on: '* *', surface: 'router', times: Infinity, ...fault });
		expect(await leaksOfAll(credential)).toEqual([]);
	});
});
