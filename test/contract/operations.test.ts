/** What the client calls of each interface, and that it sends nothing else: by its own requests, method by method. */
import { USER_AGENT } from '../../client/transport/userAgent';
import { startSandbox } from '../../sandbox';
import { engine } from './operations/engine';
import type { Callers, OperationTable } from './operations/operationTable';
import { Requests, type SentRequest } from './operations/requests';
import { router } from './operations/router';
import { v1 } from './operations/v1';
import { v2 } from './operations/v2';

type Sent = Array<{ method: string; request: SentRequest }>;

const TABLES: Record<string, OperationTable<string>> = { v2, v1, engine, router };

test('the check finds wrong requests', () => {
	const described = new Requests('v2.yaml');
	const request = (method: string, path: string, more: Partial<SentRequest> = {}): SentRequest => ({
		...{ method, path, query: '', headers: { 'content-type': 'application/json' }, bodyBytes: 0, bodyText: '' },
		...more,
	});
	const problems = (method: string, path: string, more?: Partial<SentRequest>) =>
		described.problemsOf(request(method, `/api/v2${path}`, more));
	const sending = (json: unknown) => ({ bodyText: JSON.stringify(json), bodyBytes: Buffer.byteLength(JSON.stringify(json)) });

	expect(problems('GET', '/jobs', { query: 'limit=5&status=queued&metadata[a]=1' })).toEqual([]);
	expect(problems('GET', '/jobs', { query: 'limit=none' })).toEqual(['query limit must be integer']);
	expect(problems('GET', '/jobs', { query: 'page=5' })).toEqual(['query page is not documented']);
	expect(problems('GET', '/jobs/one/two/three')).toEqual(['no such operation']);
	expect(problems('GET', '/jobs/one', { headers: { authorization: 'Bearer key', 'x-api-key': 'key' } })).toEqual([
		'header x-api-key is not documented',
	]);
	expect(problems('HEAD', '/assets/by-hash/md5%3A0')).toEqual([expect.stringContaining('path hash must match pattern')]);
	expect(problems('POST', '/jobs')).toEqual(['the body is missing']);
	expect(problems('POST', '/jobs', sending({ prompt: {}, extra_data: { key: '' } }))).toEqual([
		'body field prompt is not documented',
		"body must have required property 'workflow'",
		'body/extra_data must NOT have additional properties',
	]);
	expect(described.operationOf(request('POST', '/api/v2/assets/from-hash'))).toBe('createAssetFromHash');
});

describe.each(Object.entries(TABLES))('%s', (_, { contracts, surfaces, operations, calls: open }) => {
	const sent: Sent = [];
	beforeAll(async () => {
		const sandbox = await startSandbox({ progressIntervalMs: 10 });
		const { calls, close } = await open(sandbox);
		for (const [method, call] of Object.entries(calls)) {
			sandbox.resetRecords();
			await call();
			const requests = surfaces.flatMap((surface) => sandbox.requests('* *', surface)).filter(isOurs);
			sent.push(...requests.map((request) => ({ method, request })));
		}
		await close();
		await sandbox.close();
	});

	test('every request is described', () => {
		const problems = sent.flatMap(({ method, request }) => {
			const contract = Object.values(contracts).find((one) => one.operationOf(request) !== undefined);
			const found = contract === undefined ? ['no such operation'] : contract.problemsOf(request);
			return found.map((problem) => `${method}: ${request.method} ${request.path}?${request.query}: ${problem}`);
		});
		expect([...new Set(problems)]).toEqual([]);
	});

	test.each(Object.keys(contracts))('the table holds every operation of %s, and no other', (name) => {
		expect(Object.keys(operations[name] ?? {}).sort()).toEqual([...(contracts[name]?.ids ?? [])].sort());
	});

	test.each(Object.keys(contracts))('every operation of %s is called by the methods that the table names', (name) => {
		expect(callersIn(sent, name)).toEqual(
			Object.fromEntries(Object.entries(operations[name] ?? {}).map(([id, callers]) => [id, methodsOf(callers)])),
		);
	});

	function callersIn(requests: Sent, name: string): Record<string, string[]> {
		const contract = contracts[name];
		return Object.fromEntries(
			(contract?.ids ?? []).map((id) => {
				const methods = requests.filter(({ request }) => contract?.operationOf(request) === id).map(({ method }) => method);
				return [id, [...new Set(methods)].sort()];
			}),
		);
	}
});

const methodsOf = (callers: Callers<string>): string[] => ('uncalled' in callers ? [] : [...callers].sort());

const isOurs = ({ headers }: SentRequest): boolean => headers['user-agent'] === USER_AGENT;
