/**
 * Random input through Retry On Fail and Retry execution: whatever happens on the way, each item is billed once, and its
 * result arrives. A thousand lives of an item at the operation itself, with pauses cut short; some by n8n's own engine.
 */
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { connectRouter, outcomeOf, type RouterConnection } from '../../../client';
import { execute } from '../../../nodes/ComfyRunRouterModel/model/run/execute';
import type { ModelRunSettings } from '../../../nodes/ComfyRunRouterModel/model/run/settings';
import { startSandbox, type FaultHandle, type FaultRule, type Sandbox } from '../../../sandbox';
import { Chance } from '../../client/support/chance';
import { mayBeUnmet } from '../../support/metFaults';
import { runNode, type NodeResult } from '../support/engine';
import { jsonRun, routerCredential } from '../support/router';
import { jsons } from '../support/submit';
import { runFaster } from '../../support/fastClock';

runFaster(5);

const HISTORIES = 1_000;
const HISTORIES_PER_TEST = 50;
const MOST_FAULTS = 6;
/** More than faults can fail. */
const MOST_TRIES = 25;
const MOST_TRIES_OF_AN_EXECUTION = 3;

type Broken = Omit<FaultRule, 'on'> & { on?: string };

const ANYTHING = '* /v2/models/*';
const LOOKS = 'GET /v2/models/:provider/:model/requests/*';

const FAULTS: Broken[] = [
	{ fault: { kind: 'drop_before' } },
	{ fault: { kind: 'drop_after' } },
	{ fault: { kind: 'drop_after' } },
	{ fault: { kind: 'truncate', afterBytes: 10 } },
	{ answer: { status: 429, code: 'rate_limited' } },
	{ answer: { status: 503, code: 'service_unavailable', retryAfter: 1 } },
	{ answer: { status: 502, html: true } },
	{ answer: { status: 404, code: 'model_not_found' } },
	{ answer: { status: 404, html: true } },
	{ answer: { status: 403, code: 'forbidden' } },
	{ answer: { status: 401, code: 'unauthorized' } },
	{ answer: { status: 402, code: 'insufficient_credits' } },
	{ late: true, answer: { status: 500, code: 'internal_error' } },
	{ late: true, answer: { status: 504, html: true } },
	{ late: true, answer: { status: 200, badJson: true } },
	{ on: LOOKS, answer: { status: 404, code: 'request_not_found' } },
	{ on: LOOKS, answer: { status: 403, code: 'forbidden' } },
	{ on: LOOKS, answer: { status: 401, code: 'unauthorized' } },
	{ on: LOOKS, fault: { kind: 'drop_after' } },
];

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ routerRetryAfterSeconds: 1 });
});
afterAll(async () => await sandbox.close());

const breakThings = (chance: Chance): FaultHandle[] => {
	const faults = Array.from({ length: chance.below(MOST_FAULTS + 1) }, () => sandbox.inject({ on: ANYTHING, ...chance.oneOf(FAULTS) }));
	faults.forEach(mayBeUnmet);
	return faults;
};

const billedSince = (before: number): number => sandbox.ledger.routerRuns.length - before;

/** Its input, or what it says to be the result of: never anything else. */
const isResultOf = (json: IDataObject, now: unknown): boolean =>
	JSON.stringify((json.output as IDataObject).input) === JSON.stringify(json.sent_input ?? now);

const SETTINGS: Omit<ModelRunSettings, 'isQueued' | 'maxWaitMs' | 'inputJson'> = {
	model: 'lab/open',
	inputMode: 'json',
	formValues: {},
	inputFiles: [],
	seeds: 'asIs',
	keyMode: 'automatic',
	customKey: undefined,
	runLimit: 1,
	binaryField: 'data',
	downloadFiles: true,
	largestFileBytes: 1_000,
	query: {},
};

/** As much of an execution as the operation looks at. */
const executionOf = (id: string, context: IDataObject) =>
	({
		getContext: () => context,
		getExecutionId: () => id,
		getWorkflow: () => ({ id: 'wf1' }),
		getNode: () => ({ id: 'node1', name: 'Router' }),
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		addExecutionHints: () => undefined,
	}) as unknown as IExecuteFunctions;

class History {
	private readonly chance: Chance;
	private readonly isQueued: boolean;
	private context: IDataObject = {};
	private executionId = '';
	faultsMet = 0;

	constructor(
		readonly seed: number,
		private readonly connection: RouterConnection,
	) {
		this.chance = new Chance(seed);
		this.isQueued = this.chance.below(2) === 0;
	}

	/** @returns what went wrong; nothing where it was billed once and delivered. */
	async live(): Promise<string> {
		const before = sandbox.ledger.routerRuns.length;
		const faults = breakThings(this.chance);
		let first: unknown;
		for (let tries = 0, deliveries = 0; tries < MOST_TRIES; tries++) {
			const input = { seed: this.chance.next() };
			const outcome = await outcomeOf(this.attempt(tries, input));
			if (!outcome.ok) continue;
			const { output } = outcome.value;
			if (!isResultOf(outcome.value, input)) return `${this.seed}: another's result: ${JSON.stringify(outcome.value)}`;
			first ??= output;
			if (JSON.stringify(output) !== JSON.stringify(first)) return `${this.seed}: a second result`;
			deliveries++;
			// Another item of the node may fail, so that this one is tried again though it has its result.
			if (deliveries <= this.chance.below(3)) continue;
			this.faultsMet = faults.filter(({ used }) => used > 0).length;
			return billedSince(before) === 1 ? '' : `${this.seed}: billed ${billedSince(before)} times`;
		}
		return `${this.seed}: no result, billed ${billedSince(before)} times`;
	}

	/** Each execution has a few tries; the next one gets what n8n has stored of it. */
	private async attempt(tries: number, input: IDataObject): Promise<IDataObject> {
		if (this.executionId === '' || this.chance.below(MOST_TRIES_OF_AN_EXECUTION) === 0) {
			this.executionId = `${this.seed}-${tries}`;
			this.context = JSON.parse(JSON.stringify(this.context)) as IDataObject;
		}
		const stopping = new AbortController();
		// A stop cancels what is queued, which is not a fault but a wish.
		if (!this.isQueued && this.chance.below(4) === 0) setTimeout(() => stopping.abort(), this.chance.below(12));
		const maxWaitMs = this.chance.below(2) === 0 ? 0 : 20_000;
		const result = await execute({
			execution: executionOf(this.executionId, this.context),
			itemIndex: 0,
			endTurn: () => undefined,
			atStop: () => undefined,
			settings: { ...SETTINGS, inputJson: input, isQueued: this.isQueued, maxWaitMs },
			connection: {
				router: this.connection.router,
				files: { download: async () => await Promise.reject(new Error('No files here')) },
				verifyAccess: this.connection.verifyAccess,
				close: this.connection.close,
			},
			credential: { displayName: 'Comfy API', secretLabel: 'API Key', addressLabel: 'Router URL', token: '', partnerKey: '' } as Parameters<
				typeof execute
			>[0]['credential'],
			signal: stopping.signal,
			leaving: stopping.signal,
			isTool: false,
			known: {},
			existing: new Set(),
		});
		return result.json;
	}
}

describe('B2, B3: faults, refused looks, stops, tries and executions in any order', () => {
	it.each(Array.from({ length: HISTORIES / HISTORIES_PER_TEST }, (_, part) => part))(
		'part %d: each item is billed once, and its result arrives',
		async (part) => {
			const credential = { kind: 'apiKey', key: sandbox.keys.apiKey } as const;
			// A second of Retry-After is 2 ms.
			const connection = connectRouter({
				baseUrl: sandbox.urls.router,
				credential,
				prefix: '/v2',
				readBudgetMs: 50,
				limits: { pauseScale: 0.002, requestMs: 300_000 },
			});
			const troubles: string[] = [];
			let faultsMet = 0;
			for (let seed = part * HISTORIES_PER_TEST; seed < (part + 1) * HISTORIES_PER_TEST; seed++) {
				const history = new History(seed, connection);
				troubles.push(await history.live());
				faultsMet += history.faultsMet;
				sandbox.clearFaults();
			}
			await connection.close();
			expect(troubles.filter((trouble) => trouble !== '')).toEqual([]);
			expect(faultsMet).toBeGreaterThan(HISTORIES_PER_TEST);
		},
	);
});

describe('B2, B3: the same by n8n itself', () => {
	const HISTORIES_BY_N8N = 4;

	async function live(seed: number): Promise<void> {
		const chance = new Chance(10_000 + seed);
		const before = sandbox.ledger.routerRuns.length;
		breakThings(chance);
		const delivery = chance.oneOf(['queued', 'synchronous']);
		const parameters = { inputJson: '={{ { seed: Math.random() } }}', delivery, maxWaitMinutes: 0, options: { limitRuns: 1 } };
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		let contextData: NodeResult['contextData'] = {};
		for (let executions = 0; executions < MOST_TRIES; executions++) {
			const result = await runNode(jsonRun(routerCredential(sandbox), 'lab/open', {}, { parameters, settings, contextData }));
			contextData = JSON.parse(JSON.stringify(result.contextData)) as NodeResult['contextData'];
			if (result.status !== 'success') continue;
			const [json = {}] = jsons(result);
			expect((json.output as IDataObject).input).toEqual(json.sent_input ?? { seed: expect.any(Number) });
			expect(billedSince(before)).toBe(1);
			return;
		}
		throw new Error(`${seed}: no result`);
	}

	it.each([0, 1, 2])('part %d: Retry On Fail, then Retry execution until the result is there', async (part) => {
		for (let seed = part * HISTORIES_BY_N8N; seed < (part + 1) * HISTORIES_BY_N8N; seed++) {
			await live(seed);
			sandbox.clearFaults();
		}
	});
});
