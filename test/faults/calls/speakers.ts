import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import { type ApiGraph, type Connection, type ConnectSettings, type Job, waitForJob } from '../../../client';
import type { Sandbox } from '../../../sandbox';
import { quickGraph, slowGraph } from '../../client/support/graphs';
import type { Call, CallContext, Outcome } from '../shapes';

/** One interface at one address. Calls that several speakers know are the same code for all. */
export interface Speaker extends Pick<Call, 'words'> {
	name: string;
	at: 'hosted' | 'deployment' | 'engine';
	open(urls: Sandbox['urls'], sandbox: Sandbox, limits?: ConnectSettings['limits']): Connection;
	/** A finished job, one for all cells of a sandbox. */
	ended(context: CallContext): Promise<Job>;
}

/** For requests that prepare a cell: a busy machine is no fault. */
export const PATIENT = { requestMs: 30 * 60_000 };
export const LONGEST_WAIT_MS = 30 * 60_000;

/** Makes what all cells of a sandbox can share, once the first of them needs it. */
export function oncePerSandbox<T>(make: (context: CallContext) => Promise<T>): (context: CallContext) => Promise<T> {
	const made = new WeakMap<Sandbox, Promise<T>>();
	return async (context) => {
		const one = made.get(context.sandbox) ?? make(context);
		made.set(context.sandbox, one);
		return await one;
	};
}

export function speakerOf(parts: Omit<Speaker, 'ended'>): Speaker {
	const speaker: Speaker = {
		...parts,
		ended: oncePerSandbox(
			async (context) =>
				await beside(speaker, context, async ({ jobs }) => {
					const { job_id } = await jobs.submit({ graph: graphOf(context) });
					return (await waitForJob(jobs, job_id, { mode: 'polling', maxWaitMs: LONGEST_WAIT_MS })).job;
				}),
		),
	};
	return speaker;
}

/** A colour that no other cell has: it identifies the graph. */
export const colorOf = (mark: string): number => createHash('sha256').update(mark).digest().readUIntBE(0, 3);
export const graphOf = ({ mark }: CallContext) => quickGraph(colorOf(mark));
/** Runs until it is stopped. */
export const endlessGraphOf = ({ mark }: CallContext) => slowGraph(1_000, 60_000, colorOf(mark));

/** Whether a graph is of this cell: the colour, or the seed, identifies it. */
export function isOfCell({ mark }: CallContext, graph: ApiGraph = {}): boolean {
	const color = colorOf(mark);
	return Object.values(graph).some(({ inputs }) => inputs.color === color || inputs.seed === color);
}

/** How many jobs of a cell are paid. */
export const paidJobs = (context: CallContext): number =>
	context.sandbox.ledger.runs.filter(({ jobId }) => isOfCell(context, context.sandbox.job(jobId)?.graph)).length;

/** The same of runs of the router, whose key is the mark. */
export const paidRuns = ({ sandbox, mark }: CallContext): number =>
	sandbox.ledger.routerRuns.filter(({ idempotencyKey }) => idempotencyKey === mark).length;

async function using<T>(connection: Connection, work: (connection: Connection) => Promise<T>): Promise<T> {
	try {
		return await work(connection);
	} finally {
		await connection.close();
	}
}

/** Past the proxy: for what must exist before. */
export const beside = async <T>({ open }: Speaker, { sandbox }: CallContext, work: (connection: Connection) => Promise<T>): Promise<T> =>
	await using(open(sandbox.urls, sandbox, PATIENT), work);

export interface CallParts extends Partial<Omit<Call, 'name' | 'run'>> {
	limits?: ConnectSettings['limits'];
}

/** @param work by a connection that goes through the proxy. */
export const callOf = (
	{ name: who, words, at, open }: Speaker,
	name: string,
	on: string,
	{ limits, ...parts }: CallParts,
	work: (connection: Connection, context: CallContext) => Promise<Outcome | void>,
): Call => ({
	name: `${who} ${name}`,
	on,
	at,
	words,
	wire: 'json',
	repeatable: true,
	...parts,
	run: async (context) => await using(open(context.urls, context.sandbox, limits), async (connection) => await work(connection, context)),
});

export function assertSucceeded(job: Job): void {
	assert.equal(job.status, 'succeeded');
	assert.equal(job.outputs.length, 1);
	assert.equal(job.job_error, null);
}
