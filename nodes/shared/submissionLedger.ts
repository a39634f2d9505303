import { createHash } from 'node:crypto';

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { exactText, type InterfaceName } from '../../client';
import { derivedKey } from './derivedKey';

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
}

/** It was sent, and what came of it is not known. */
export const isInDoubt = ({ job_id: id, answered, refused }: LedgerEntry): boolean => id === undefined && answered !== true && refused !== true;

type Entries = Record<string, LedgerEntry>;

const FIELD = 'comfySubmissions';

export const hashOf = (graph: unknown): string => createHash('sha256').update(exactText(graph)).digest('hex');

/**
 * Keys and job ids of this node's submissions, by run and item, kept in n8n's node context: it survives the tries of
 * Retry On Fail (same run) and *Retry execution* (another execution id). Each try asks here before it sends.
 */
export class SubmissionLedger {
	private readonly entries: Entries;
	private readonly runIndex: number;

	constructor(
		private readonly execution: IExecuteFunctions,
		private readonly isTool: boolean,
	) {
		const context = execution.getContext('node');
		this.entries = (context[FIELD] ??= {}) as Entries;
		this.runIndex = execution.getWorkflowDataProxy(0).$runIndex as number;
	}

	/** What an earlier try recorded for this item. */
	find(itemIndex: number, hash: string): LedgerEntry | undefined {
		const own = this.entries[this.address(itemIndex, hash)];
		if (own !== undefined || !this.isTool) return own;
		// Each try of an AI tool is a run of its own; what is open of an earlier one is known by what was sent.
		return Object.values(this.entries).find((entry) => entry.hash === hash && (isInDoubt(entry) || entry.untold === true));
	}

	/** Recorded before the first byte is sent. */
	open(itemIndex: number, key: string | null, hash: string): LedgerEntry {
		const entry: LedgerEntry = { key, hash, sent_at: Date.now() };
		this.entries[this.address(itemIndex, hash)] = entry;
		return entry;
	}

	/** Whether somebody has been told how the job stands: until then, the same call of an agent asks for this job. */
	setTold(jobId: string, isTold: boolean): void {
		for (const entry of Object.values(this.entries)) {
			if (entry.job_id !== jobId) continue;
			if (isTold) delete entry.untold;
			else entry.untold = true;
		}
	}

	forget(jobId: string): void {
		for (const [address, entry] of Object.entries(this.entries)) {
			if (entry.job_id === jobId) delete this.entries[address];
		}
	}

	/** The same for every try of this item, and for no other item. */
	keyFor(itemIndex: number, hash: string): string {
		const { execution } = this;
		const place = [execution.getWorkflow().id ?? '', execution.getExecutionId(), execution.getNode().id];
		return derivedKey([...place, this.address(itemIndex, hash)]);
	}

	/** Jobs that belong to submissions already answered. */
	knownJobIds(): Set<string> {
		return new Set(Object.values(this.entries).flatMap(({ job_id }) => (job_id === undefined ? [] : [job_id])));
	}

	/** An agent may call its tool several times in what older versions of n8n count as one run. */
	private address(itemIndex: number, hash: string): string {
		const place = `${this.runIndex}:${itemIndex}`;
		return this.isTool ? `${place}:${hash}` : place;
	}
}
