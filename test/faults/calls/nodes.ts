/** Whole nodes, run by n8n's engine. They meet one fault of each kind. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type * as NodeCell from '../nodeCell';
import { byRules, DONE, IN_WORDS, isGateway404, isPassing, statusOf } from '../outcomes';
import type { Call, Expects, Fault } from '../shapes';
import { POOL_SERVERS } from './pool';
import { paidJobs, paidRuns } from './speakers';

/** Loading the engine takes seconds, so it waits until a cell needs it. n8n keeps its files in a folder of this process. */
function loadEngine(): typeof NodeCell {
	if (process.env.N8N_USER_FOLDER === undefined) {
		const folder = mkdtempSync(join(tmpdir(), 'comfy-faults-'));
		process.env.N8N_USER_FOLDER = folder;
		process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
	}
	// `import()` wants an ending here, which Jest does not find.
	// eslint-disable-next-line @typescript-eslint/no-require-imports
	return require('../nodeCell') as typeof NodeCell;
}

/** One of each kind: what the client makes of the others is the same for all. */
export const ONE_OF_EACH_KIND: readonly string[] = [
	'reset after the request, delivered',
	'reset after the request, undelivered',
	'silence, delivered',
	'401 in the service’s words',
	'403 in the service’s words',
	'404 in the service’s words',
	'500 in the service’s words',
	'503 in the service’s words',
	'502 as a page',
	'404 as a page',
	'429, Retry-After of 1 second',
	'web page',
	'half JSON',
	'JSON: null',
	'gzip that is none',
	'redirect to another origin',
	'redirect 302 to itself',
	'late delivery, 502',
];
/** What an engine has not heard is looked for by its id for minutes: that is a matter of tests of its own. */
export const meetsNode = ({ name, delivery }: Fault, call: Call): boolean =>
	ONE_OF_EACH_KIND.includes(name) && (call.at !== 'engine' || delivery !== 'nothing');

/** Ends as the client's own call does, in words. @param unlike where it does not. */
const node = (name: NodeCell.NodeRunName, on: string, more: Partial<Call> = {}, unlike: Expects = () => undefined): Call => ({
	name,
	wire: 'json',
	on,
	at: 'hosted',
	repeatable: true,
	run: async (context) => await loadEngine().runNodeCell(name, context),
	...more,
	expects: (fault, attempts, call) => {
		const { outcome, because } = unlike(fault, attempts, call) ?? fault.expects?.(call, attempts) ?? byRules(fault, call, attempts);
		return { outcome: outcome === DONE ? DONE : IN_WORDS, because };
	},
});

const SUBMISSION = { persists: 'submission', billed: paidJobs } as const;
const RUN = { ...SUBMISSION, billed: paidRuns, at: 'router' } as const;

const noWait: Expects = ({ seen }) =>
	statusOf(seen) === 429 ? { outcome: IN_WORDS, because: 'over v1 it says that the subscription is over' } : undefined;
/** Its live events tell of the end, or Max Wait is over and the job is handed on; a 500 in the service's own words, or a 404 in none, is a failure once it lasts. */
const goesOn: Expects = ({ seen, family }, attempts) =>
	family !== 'redirects' && (isPassing(seen) || (isGateway404(seen) && attempts === 'first')) && statusOf(seen) !== 500
		? { outcome: DONE, because: 'the wait goes on, and its job is handed on' }
		: undefined;
const isFound: Expects = ({ delivery }) => (delivery === 'nothing' ? undefined : { outcome: DONE, because: 'its job is found by the id' });
const isFoundInPool: Expects = (fault, attempts, call) =>
	statusOf(fault.seen) === 429 ? { outcome: DONE, because: 'another server takes the job' } : isFound(fault, attempts, call);
const anyOutput: Expects = ({ seen }) => {
	if (seen === 'other') return { outcome: DONE, because: 'outputs are never validated' };
	return seen === 'silent' ? { outcome: IN_WORDS, because: 'a run holds its connection for longer than Max Wait' } : undefined;
};

export const nodeCalls: readonly Call[] = [
	node('node upload', 'POST /api/v2/assets', { wire: 'upload' }),
	node('node submit', 'POST /api/v2/jobs', SUBMISSION),
	node('node wait', 'GET /api/v2/jobs/*'),
	node('node wait that goes on', 'GET /api/v2/jobs/*'),
	node('node get workflow', 'GET /api/v2/jobs/*/workflow'),
	node('node download', 'GET /api/v2/jobs/*'),
	node('node get job', 'GET /api/v2/jobs/*'),
	node('node cancel job', 'POST /api/v2/jobs/*/cancel'),
	node('node get queue', 'GET /api/queue', {}, noWait),
	node('node get definitions', 'GET /api/object_info', {}, noWait),
	node('node run over v2', 'POST /api/v2/jobs', SUBMISSION),
	node('node run over v2 that goes on', 'POST /api/v2/jobs', SUBMISSION),
	node('node run over v2, its reads', 'GET /api/v2/jobs/*', { billed: paidJobs }, goesOn),
	node('node run over v1', 'POST /api/prompt', { ...SUBMISSION, repeatable: false }, noWait),
	node('node run on an engine', 'POST /api/prompt', { ...SUBMISSION, repeatable: false, at: 'engine' }, isFound),
	node('node run on a pool', 'POST /api/prompt', { ...SUBMISSION, repeatable: false, at: 'engine', servers: POOL_SERVERS }, isFoundInPool),
	node('node router run', 'POST /v2/models/lab/open', RUN, anyOutput),
	node('node router run that goes on', 'POST /v2/models/lab/open', RUN, anyOutput),
];
