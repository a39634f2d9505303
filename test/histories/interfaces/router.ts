import type { IDataObject } from 'n8n-workflow';

import { ComfyRunRouterModel } from '../../../nodes/ComfyRunRouterModel/ComfyRunRouterModel.node';
import type { RecordedRequest, Sandbox } from '../../../sandbox';
import { LATENESS, LOSSES, REFUSALS, ROUTER_REFUSALS } from '../faults';
import { EVENTS, INPUTS } from '../history';
import type { Asked, Bill, Interface, Sent } from './interface';
import { by, postAll } from './jobs';
import { INPUT_IS_GONE, WAS_STOPPED } from './outcomes';

const node = new ComfyRunRouterModel();

/** Tells its note again after a while; where that is longer than the router holds a connection, the result is collected. */
const SLOW = 'lab/slow';
const HELD_MS = 8;
/** Has seeds, and answers with its input. */
const SEEDED = 'lab/every-feature';

/** Never reached: these runs ask for an estimate, which faults may meet, before they are sent. */
const COST_LIMITS = { maxCostUsd: 1, maxExecutionCostUsd: 1_000, ifCostUnknown: 'continue' };

/** What somebody asked for, from a body or an output that holds it. */
function askedIn(holder: unknown): Pick<Sent, 'mark' | 'value'> | undefined {
	const { note, prompt, seed } = holder as { note?: string; prompt?: string; seed?: number };
	const [mark, value] = note === undefined ? [prompt, seed] : note.split(' ');
	return mark === undefined ? undefined : { mark, value: Number(value) };
}

/** Undefined where it was cut off. */
function sentIn({ bodyText, headers, at, status }: RecordedRequest): Sent | undefined {
	try {
		const asked = askedIn(JSON.parse(bodyText));
		return asked === undefined ? undefined : { ...asked, key: headers['idempotency-key']?.toString(), at, status };
	} catch {
		return undefined;
	}
}

const inputOf = ({ mark, input }: Asked): string => {
	if (input === 'drawn') return `{ prompt: ${mark} }`;
	const value = input === 'random' ? 'Math.floor(Math.random() * 1e9)' : '1';
	return `{ ms: $json.ms, note: ${mark} + " " + ${value} }`;
};

const parametersOf = (delivery: 'synchronous' | 'queued', asked: Asked): IDataObject => ({
	resource: 'model',
	operation: 'run',
	model: asked.input === 'drawn' ? SEEDED : SLOW,
	inputMode: 'json',
	inputJson: `={{ ${inputOf(asked)} }}`,
	delivery,
	maxWaitMinutes: 60,
	options: { limitRuns: asked.items, ...(asked.input === 'drawn' && { seeds: 'random', ...COST_LIMITS }) },
});

const routed = (delivery: 'synchronous' | 'queued', submission: string): Interface => {
	const submissions = (sandbox: Sandbox): RecordedRequest[] => sandbox.requests(submission, 'router');
	return {
		name: delivery === 'queued' ? 'router queued' : 'router direct',
		behaviour: { routerHoldMs: HELD_MS },
		range: {
			faultsOfSubmissions: [...REFUSALS, ...ROUTER_REFUSALS, ...LOSSES, ...LATENESS, 'delivered twice'],
			faultsOfAnything: [...REFUSALS, ...ROUTER_REFUSALS, ...LOSSES],
			events: EVENTS,
			inputs: INPUTS,
			keys: ['automatic'],
			mostItems: 3,
		},
		node: { name: 'comfyRunRouterModel', execute: async (execution) => await node.execute.call(execution) },
		isKeyed: true,
		submission,
		credential: ({ keys, urls }, host) => ({
			type: 'comfyApi',
			data: { apiKey: keys.apiKey, routerUrl: by(host, urls).router, pathPrefix: 'automatic' },
		}),
		parameters: (asked) => parametersOf(delivery, asked),
		bills: (sandbox) => {
			const sent = new Map(submissions(sandbox).map((request) => [request.requestId, sentIn(request)]));
			return sandbox.ledger.routerRuns.flatMap(({ requestId, at }): Bill[] => {
				const one = sent.get(requestId);
				return one === undefined ? [] : [{ ...one, at, id: String(one.key) }];
			});
		},
		sent: (sandbox) => submissions(sandbox).flatMap((request) => sentIn(request) ?? []),
		delivered: ({ json }) => {
			const output = json.output as IDataObject;
			const { mark, value } = askedIn(output.input ?? output) ?? { mark: undefined, value: NaN };
			return { id: String(json.idempotency_key), mark, value };
		},
		crowd: async ({ urls, keys }, jobs) => {
			const url = `${urls.router}${submission.replace('POST /:version', '/v2').replace(':provider/:model', SEEDED)}`;
			await postAll(jobs, url, { authorization: `Bearer ${keys.apiKey}` }, () => ({ prompt: 'others' }));
		},
		pass: (sandbox, ms) => sandbox.advanceClock(ms),
		isIdle: () => true,
		clear: async () => await Promise.resolve(),
		unconfirmed: [{ ...INPUT_IS_GONE, words: /may have run with a different input/ }, ...(delivery === 'queued' ? [WAS_STOPPED] : [])],
	};
};

export const routerDirect = routed('synchronous', 'POST /:version/models/:provider/:model');
export const routerQueued = routed('queued', 'POST /:version/models/:provider/:model/requests');
