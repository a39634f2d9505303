/** What crash points have in common: the ways to a service, faults that hold a request, and expectations. */
import type { FaultRule } from '../../../sandbox';
import type { SavedCredential } from '../../../scripts/n8nHost/documents';
import type { Credentials, CrashPoint } from './crash';
import { onServer } from './engine';
import { call, type Make } from './guardedFlows';
import { comfy } from './workflows';

/** How a job reaches a service. */
export interface Way {
	name: string;
	credentials(all: Credentials): SavedCredential[];
	node: Make;
	submission: Pick<FaultRule, 'on' | 'surface'>;
}

const V2 = 'POST /api/v2/jobs';

export const hosted: Way = { name: 'v2', credentials: (all) => all.hosted, node: comfy, submission: { on: V2, surface: 'hosted' } };
export const selfHosted: Way = {
	name: 'self-hosted',
	credentials: (all) => all.selfHosted,
	node: onServer,
	submission: { on: V2, surface: 'self_hosted_token' },
};
export const engine: Way = {
	name: 'engine',
	credentials: (all) => all.engine,
	node: onServer,
	submission: { on: 'POST *', surface: 'engine' },
};
export const v1: Way = {
	name: 'v1',
	credentials: (all) => all.hosted,
	node: (type, parameters = {}) => comfy(type, { ...parameters, options: { interface: 'v1' } }),
	submission: { on: 'POST /api/prompt', surface: 'hosted' },
};

export const NEVER_LOOKED: FaultRule['fault'] = { kind: 'delay', ms: 10 * 60_000 };
export const NEVER_ANSWERED: FaultRule['fault'] = { kind: 'stall' };
export const HALF_A_FILE: FaultRule = { on: 'GET /blobs/:id', surface: 'storage', fault: { kind: 'stall', afterBytes: 20 } };

/** After that the client sends once more, or looks for the rest. */
export const SUBMISSION_MS = 30_000;
export const DOWNLOAD_MS = 60_000;

export const NO_JOB = { made: 0, running: 0 };
export const RUNNING = { made: 1, running: 1 };
export const ENDED = { made: 1, running: 0 };

export const always = () => 1;
export const never = () => 0;
export const ifRepeated: CrashPoint['recovered'] = ({ repeatsNodes }) => (repeatsNodes ? 1 : 0);

type What = Omit<CrashPoint, 'name' | 'credentials' | 'begin'>;

export const crashPoint = (way: Way, name: string, what: What): CrashPoint => ({
	name: `${name} (${way.name})`,
	credentials: way.credentials,
	begin: call,
	...what,
});
