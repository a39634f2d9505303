import { createHash } from 'node:crypto';

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { clock, exactText, type InterfaceName } from '../../../client';
import { derivedKey } from './derivedKey';
import { executionPlace } from '../execution/place';
import { realRunsBefore } from '../execution/runs';
import { startIsLost } from '../messages/unknownOutcome';

/** What is remembered of one submission. It must survive JSON, because n8n stores it with the execution. */
export interface LedgerEntry extends IDataObject {
	/** Null where the user chose to send none. */
	key: string | null;
	/** From this is drawn what is drawn for the item: every try draws the same, also where no key is sent. */
	draw_key?: string;
	/** What its items tell of it beside the job, the seeds drawn for it for instance. */
	facts?: IDataObject;
	/** Of what was asked for. */
	hash: string;
	/** What was sent, as exact JSON, while nobody knows what came of it: an expression may ask for something else the next time. */
	sent_graph?: string;
	/** Over which it was sent. */
	interface?: InterfaceName;
	/** Epoch milliseconds of the first attempt. */
	sent_at: number;
	/** Set by the answer. */
	job_id?: string;
	/** The result came, where there is no job to go by. */
	answered?: boolean;
	/** Its end was waited for, and nobody has been told of it. */
	untold?: boolean;
	/** Nothing was sent yet, or the service refused: there is no job, and nothing is in doubt. */
	refused?: boolean;
	/** An execution that this is a retry of may have submitted it from then on (epoch milliseconds), and left no entry. */
	may_exist_since?: number;
	/** The job was found, not made: it is that of such an execution, or has a key of the user's own. */
	found?: boolean;
	/** Since then (epoch milliseconds) somebody wants no job of it: where that has canceled it, another comes in its place. */
	stopped_at?: number;
	/** How many jobs of this item are over and done with: what comes after them gets another key. */
	endings?: number;
	/** Those of them that were canceled by a stop. */
	forgotten?: string[];
	/** Nothing has come in the place of the last of them. */
	over?: boolean;
}

/** The stop of an execution: its canceling may fail, or be heard of by nobody, so that a later try looks what became of it. */
export function markStopped(entry: LedgerEntry): void {
	entry.stopped_at ??= clock.wallNow();
}

/** It was sent, and what came of it is not known. */
export const isInDoubt = ({ job_id: id, answered, refused }: LedgerEntry): boolean =>
	id === undefined && answered !== true && refused !== true;

type Entries = Record<string, LedgerEntry>;

const FIELD = 'comfySubmissions';

/** Of one execution, each run again, and then n8n died with the record of them. */
const MOST_STOPS_LOST = 4;

export const hashOf = (graph: unknown): string => createHash('sha256').update(exactText(graph)).digest('hex');

/**
 * Keys and job ids of this node's submissions, by run and item, kept in n8n's node context: it survives the tries of
 * Retry On Fail (same run) and *Retry execution* (another execution id), but not the death of n8n. Each try asks here
 * before it sends; a retry that finds nothing asks the service, because its keys are the same.
 */
export class SubmissionLedger {
	private readonly entries: Entries;
	private readonly run: number;

	constructor(
		private readonly execution: IExecuteFunctions,
		private readonly isTool: boolean,
	) {
		const context = execution.getContext('node');
		this.entries = (context[FIELD] ??= {}) as Entries;
		this.run = realRunsBefore(execution);
	}

	/** What an earlier try recorded for this item. */
	find(itemIndex: number, hash: string): LedgerEntry | undefined {
		const own = this.entries[this.address(itemIndex, hash)];
		if (own?.over === true) return undefined;
		if (own?.refused === true) this.notice(own, own);
		if (own !== undefined || !this.isTool) return own;
		// Each try of an AI tool is a run of its own; what is open of an earlier one is known by what was sent.
		return Object.values(this.entries).find((entry) => entry.hash === hash && (isInDoubt(entry) || entry.untold === true));
	}

	/** Recorded before the first byte is sent. */
	open(itemIndex: number, key: string | null, hash: string): LedgerEntry {
		const earlier = this.entries[this.address(itemIndex, hash)];
		const { endings, forgotten } = earlier ?? {};
		const entry: LedgerEntry = {
			key,
			hash,
			sent_at: clock.wallNow(),
			...(endings !== undefined && { endings }),
			...(forgotten !== undefined && { forgotten }),
		};
		this.notice(entry, earlier);
		this.entries[this.address(itemIndex, hash)] = entry;
		return entry;
	}

	/** @throws ItemFault where nobody can know whether this item has been sent before. */
	checkStart(itemIndex: number, hash: string): void {
		if (executionPlace(this.execution).isStartLost && this.entries[this.address(itemIndex, hash)] === undefined) throw startIsLost();
	}

	/** A retry does not know whether one before it, which n8n lost, went on from what was recorded then. */
	private notice(entry: LedgerEntry, earlier: LedgerEntry | undefined): void {
		const { mayHaveSentSince: since } = executionPlace(this.execution);
		if (since !== undefined) entry.may_exist_since ??= earlier === undefined ? since : (earlier.may_exist_since ?? earlier.sent_at);
	}

	/** Whether somebody has been told how the job stands: until then, the same call of an agent asks for this job. */
	setTold(jobId: string, isTold: boolean): void {
		for (const entry of Object.values(this.entries)) {
			if (entry.job_id !== jobId) continue;
			if (isTold) delete entry.untold;
			else entry.untold = true;
		}
	}

	/** A job that a stop has canceled: what comes in its place gets another key, and is looked for only among what came after it. */
	forget(jobId: string): void {
		for (const [address, { job_id: id, hash, stopped_at, endings = 0, forgotten = [] }] of Object.entries(this.entries)) {
			if (id !== jobId) continue;
			this.entries[address] = {
				key: null,
				hash,
				sent_at: stopped_at ?? clock.wallNow(),
				refused: true,
				over: true,
				endings: endings + 1,
				forgotten: [...forgotten, jobId],
			};
		}
	}

	/** The same for every try of this item, in every retry of the execution, and for no other item. */
	keyFor(itemIndex: number, hash: string): string {
		const address = this.address(itemIndex, hash);
		return this.keyAfter(this.entries[address]?.endings ?? 0, address);
	}

	/** What `keyFor` would give after one more stop, after two more, …. */
	laterKeys(itemIndex: number, { hash, endings = 0 }: LedgerEntry): string[] {
		const address = this.address(itemIndex, hash);
		return Array.from({ length: MOST_STOPS_LOST }, (_, nth) => this.keyAfter(endings + nth + 1, address));
	}

	/** Its job was found under one of its later keys: stops of which n8n has lost all were before it. */
	takeLater(itemIndex: number, entry: LedgerEntry, key: string): void {
		const stops = this.laterKeys(itemIndex, entry).indexOf(key) + 1;
		Object.assign(entry, { endings: (entry.endings ?? 0) + stops, draw_key: key, key: entry.key === null ? null : key });
	}

	private keyAfter(endings: number, address: string): string {
		const { execution } = this;
		return derivedKey([...executionPlace(execution).parts, execution.getNode().id, address, ...(endings > 0 ? [endings] : [])]);
	}

	/** Jobs that belong to submissions already answered. */
	knownJobIds(): Set<string> {
		return new Set(
			Object.values(this.entries).flatMap(({ job_id: id, forgotten = [] }) => (id === undefined ? forgotten : [id, ...forgotten])),
		);
	}

	/** An agent may call its tool several times in what older versions of n8n count as one run. */
	private address(itemIndex: number, hash: string): string {
		const place = `${this.run}:${itemIndex}`;
		return this.isTool ? `${place}:${hash}` : place;
	}
}
