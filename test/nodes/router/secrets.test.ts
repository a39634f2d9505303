import type { FaultRule } from '../../../sandbox';
import { hurryClock } from '../support/clock';
import { type NodeResult, type NodeRun, type RouterCredential, runNode as runSilently } from '../support/engine';
import { fileItem } from '../support/files';
import { collectLog } from '../support/log';
import { jsonRun, routerCredential, routerRun, routerWays } from '../support/router';
import { sharedSandbox } from '../support/sandbox';
import { jsons } from '../support/submit';
import { runFaster } from '../../support/fastClock';

runFaster(5);

const sandbox = sharedSandbox();
const logged: string[] = [];
/** n8n's log at debug, of the nodes. */
const debugLog = collectLog();
const runNode = async (run: NodeRun): Promise<NodeResult> => await runSilently({ ...run, logger: debugLog.logger });
beforeEach(() => {
	debugLog.lines.length = 0;
	for (const stream of [process.stdout, process.stderr]) {
		jest.spyOn(stream, 'write').mockImplementation((chunk) => logged.push(String(chunk)) > 0);
	}
});

const MARKER = 'marker-9e4d2';
const PROMPT = { prompt: 'a lighthouse' };
const NOW = { maxWaitMinutes: 0 };

const WITH_FILE = { ...NOW, inputFiles: { values: [{ field: 'image', binaryField: 'data' }] } };

const operations: Array<[string, (credential: RouterCredential) => NodeRun]> = [
	['run', (credential) => jsonRun(credential, 'lab/image', PROMPT, { parameters: { ...NOW, options: { downloadResultFiles: true } } })],
	['run with a file', (credential) => jsonRun(credential, 'lab/open', {}, { items: [fileItem(Buffer.from('x'))], parameters: WITH_FILE })],
	['run queued', (credential) => jsonRun(credential, 'lab/free', PROMPT, { parameters: { ...NOW, delivery: 'queued' } })],
	['get', (credential) => routerRun(credential, 'model:get', 'lab/image')],
	['get many', (credential) => routerRun(credential, 'model:getAll', '', { parameters: { limit: 3 } })],
	['get input schema', (credential) => routerRun(credential, 'model:getInputSchema', 'lab/image')],
	['get request', (credential) => routerRun(credential, 'request:get', 'lab/free', { parameters: { requestId: 'none' } })],
	['cancel request', (credential) => routerRun(credential, 'request:cancel', 'lab/free', { parameters: { requestId: 'none' } })],
];

/** Where a secret has got to; a signed link's query may stand in an item, but never in an error. */
function leaksOf(name: string, result: NodeResult): string[] {
	const places = {
		outputs: result.outputs,
		error: result.error,
		stored: result.stored,
		hints: result.hints,
		logged,
		debugLog: debugLog.lines,
	};
	const secrets = [MARKER, ...Object.values(sandbox.keys)];
	const leaks = Object.entries(places).flatMap(([place, content]) =>
		secrets.flatMap((secret) => (String(JSON.stringify(content)).includes(secret) ? [`${name}: ${secret} in ${place}`] : [])),
	);
	const said = [
		result.error,
		result.hints,
		...jsons(result).map(({ error, error_description, error_facts, files }) => [error, error_description, error_facts, files]),
	];
	return /X-Goog-|GOOG4/.test(JSON.stringify(said)) ? [...leaks, `${name}: a signed link`] : leaks;
}

async function leaksOfAll(credential: RouterCredential): Promise<string[]> {
	const runs = operations.flatMap(([name, run]) =>
		(['stopWorkflow', 'continueRegularOutput'] as const).map(async (onError) =>
			leaksOf(name, await runNode({ ...run(credential), settings: { onError } })),
		),
	);
	return (await Promise.all(runs)).flat();
}

describe.each(routerWays)('no operation lets a secret out (%s)', (way) => {
	it('when all goes well', async () => {
		expect(await leaksOfAll(routerCredential(sandbox, way))).toEqual([]);
	});

	it('when the key is wrong', async () => {
		const wrong = { apiKey: `${MARKER}-key`, token: `${MARKER}-token`, partnerApiKey: `${MARKER}-partner` };
		expect(await leaksOfAll(routerCredential(sandbox, way, wrong))).toEqual([]);
	});

	const faults: Array<[string, (secret: string) => Partial<FaultRule>]> = [
		['an error of the server', () => ({ answer: { status: 500, code: 'internal_error' } })],
		['a web page', () => ({ answer: { status: 403, html: true } })],
		['half an answer', () => ({ answer: { status: 400, badJson: true } })],
		['a lost answer', () => ({ fault: { kind: 'drop_after' } })],
		[
			'an answer that repeats what was sent',
			(secret) => {
				const details = [{ loc: ['header', secret], msg: `got ${secret}`, type: 'x', input: { key: secret } }];
				return { answer: { status: 422, code: 'invalid_input', details } };
			},
		],
		[
			'a storage of results that is down',
			() => ({
				on: 'GET *',
				surface: 'storage',
				answer: { status: 503, body: '<Error>X-Goog-Signature=abc</Error>', headers: { 'content-type': 'application/xml' } },
			}),
		],
	];
	it.each(faults)('through %s', async (_, faultFor) => {
		const credential = routerCredential(sandbox, way);
		const fault = faultFor(String(credential.data.apiKey ?? credential.data.token));
		// Where the storage is down, runs must come to their results within what is left.
		hurryClock(fault.surface === 'storage' ? 20 : undefined);
		sandbox.inject({ on: '* *', surface: 'router', times: Infinity, ...fault });
		expect(await leaksOfAll(credential)).toEqual([]);
	});
});
