/**
 * The client calls what the descriptions contain and nothing else, and the sandbox answers as they say: by the requests of
 * the client and the answers to them, method by method.
 */
import { USER_AGENT } from '../../client/transport/userAgent';
import { startSandbox } from '../../sandbox';
import { collectAnswers, type Received } from './calls';
import type { Contract } from './contract';
import { type Operation } from './contract';
import { engine } from './operations/engine';
import type { OperationTable } from './operations/operationTable';
import { router } from './operations/router';
import { v1 } from './operations/v1';
import { v2 } from './operations/v2';
import { requestProblems, type SentRequest } from './requestProblems';

const TABLES: Record<string, OperationTable<string>> = { v2, v1, engine, router };

describe.each(Object.entries(TABLES))('%s', (_, { contracts, surfaces, uncalled, calls: open }) => {
	const sent: Array<{ method: string; request: SentRequest }> = [];
	let received: Received[];
	beforeAll(async () => {
		const sandbox = await startSandbox({ progressIntervalMs: 10 });
		const { calls, close } = await open(sandbox);
		const { answers, stop } = collectAnswers();
		for (const [method, call] of Object.entries(calls)) {
			sandbox.resetRecords();
			await call();
			const requests = surfaces.flatMap((surface) => sandbox.requests('* *', surface)).filter(isOurs);
			sent.push(...requests.map((request) => ({ method, request })));
		}
		stop();
		const { urls } = sandbox;
		const origins = surfaces.map((surface) => new URL(surface === 'self_hosted_token' ? urls.self_hosted_token_url : urls[surface]).origin);
		received = answers.filter(({ origin }) => origins.includes(origin));
		await close();
		await sandbox.close();
	});

	const findOperation = (request: { method: string; path: string }): [Contract, Operation] | undefined =>
		contracts.flatMap((contract): Array<[Contract, Operation]> => {
			const operation = contract.operationOf(request);
			return operation === undefined ? [] : [[contract, operation]];
		})[0];

	test('each request has the form that is described', () => {
		const problems = sent.flatMap(({ method, request }) => {
			const [contract] = findOperation(request) ?? [];
			const found = contract === undefined ? ['no such operation'] : requestProblems(contract, request);
			return found.map((problem) => `${method}: ${request.method} ${request.path}?${request.query}: ${problem}`);
		});
		expect([...new Set(problems)]).toEqual([]);
	});

	test('each answer has the form that is described', () => {
		const problems = received.flatMap((answer) => {
			const [contract, operation] = findOperation(answer) ?? [];
			const found = contract === undefined || operation === undefined ? [] : contract.answerProblems(operation.id, answer);
			return found.map((problem) => `${answer.method} ${answer.path}: ${answer.status}: ${problem}`);
		});
		expect([...new Set(problems)]).toEqual([]);
		expect(received.length).toBeGreaterThan(5);
	});

	test('each operation is called, unless the table says why not', () => {
		const called = new Set(sent.map(({ request }) => findOperation(request)?.[1].id));
		const ids = contracts.flatMap(({ operations }) => [...operations.keys()]);
		expect(ids.filter((id) => !called.has(id)).sort()).toEqual(Object.keys(uncalled).sort());
	});
});

const isOurs = ({ headers }: SentRequest): boolean => headers['user-agent'] === USER_AGENT;
