import { clock } from '../../../client';
import { type ExecutionIdentity, identifyExecution } from '../execution/executionIdentity';
import { identifyRows, identifyToolCall } from '../execution/rows';
import { messages } from '../messages/catalogue';
import type { ItemRun } from '../operation';
import { isUnconfirmed, type ItemSubmission, jobIdOf, nextSubmission, openSubmission, type SubmissionEvent } from './itemSubmission';
import { deriveKey } from './keys';
import { parseSubmission, type StoredSubmission, toStored } from './storedSubmission';
import { ItemFault } from '../itemFault';

type StoredEntries = Record<string, StoredSubmission>;

const FIELD = 'comfySubmissions';

/** How many replaced jobs of an item n8n can lose in a crash: a job made after more of them is not found again. */
export const MAX_LOST_JOBS = 4;

/** The record of one item's submission. Each change is stored at once, because n8n may save the execution at any moment. */
export class SubmissionRecord {
	constructor(
		private submission: ItemSubmission,
		private readonly store: (submission: ItemSubmission) => void,
	) {}

	get current(): ItemSubmission {
		return this.submission;
	}

	apply(event: SubmissionEvent): void {
		this.submission = nextSubmission(this.submission, event);
		this.store(this.submission);
	}
}

/** The item of one run of a node. */
interface ItemAddress {
	identity: ExecutionIdentity;
	nodeId: string;
	itemIndex: number;
	/** Whether an agent calls the node. Its calls count by their hash. */
	isTool: boolean;
	/** What the item is, apart from its position. @param hash of the request. */
	identify(hash: string): string;
}

/**
 * The submissions of one node, stored in n8n's node context by run and item. They survive the tries of Retry On Fail (the same
 * run) and Retry Execution (another execution id), but not a crash of n8n. Each try of an item opens the ledger, and looks here
 * before it sends. A retry that finds nothing asks the service, because its idempotency keys are the same.
 */
export class SubmissionLedger {
	private readonly records = new Map<string, SubmissionRecord>();
	/** The jobs of this node's submissions. A search for an unconfirmed submission must not return one of them. */
	readonly claimedJobIds: ReadonlySet<string>;

	constructor(
		private readonly entries: StoredEntries,
		private readonly item: ItemAddress,
	) {
		this.claimedJobIds = claimsOf(entries);
	}

	/** @returns what an earlier try has recorded for this item; undefined if its last job is over and another takes its place. */
	find(hash: string): SubmissionRecord | undefined {
		const record = this.recordAt(this.addressOf(hash));
		if (record !== undefined) return record.current.state.kind === 'replaced' ? undefined : record;
		return this.item.isTool ? this.findOfEarlierCall(hash) : undefined;
	}

	/** @returns the job that an earlier try has made of this item. Calls of an agent's tool are found by their hash only. */
	findJobId(): string | undefined {
		const record = this.item.isTool ? undefined : this.find('');
		return record && jobIdOf(record.current);
	}

	/** Each try of an agent's tool is a run of its own, so an open submission of an earlier try is recognized by its hash. */
	private findOfEarlierCall(hash: string): SubmissionRecord | undefined {
		return Object.keys(this.entries)
			.map((address) => this.recordAt(address))
			.find((record) => {
				if (record?.current.hash !== hash) return false;
				const { state } = record.current;
				return isUnconfirmed(record.current) || (state.kind === 'accepted' && state.isUnreported === true);
			});
	}

	/** Records a submission before its first byte is sent, in place of one that was not submitted, has ended or was replaced. */
	open(details: Omit<Parameters<typeof openSubmission>[0], 'openedAt'>): SubmissionRecord {
		const address = this.addressOf(details.hash);
		const known = this.recordAt(address);
		const earlier = known?.current;
		const opened = openSubmission({ ...details, openedAt: clock.wallNow() }, earlier);
		const record = known ?? this.newRecord(address, opened);
		record.apply({ type: 'opened', submission: { ...opened, mayExistSince: this.mayExistSince(opened, earlier) } });
		return record;
	}

	/** Records a job that another node has submitted. @returns false if an earlier try of this item has recorded it. */
	adopt(hash: string, jobId: string): boolean {
		if (this.recordAt(this.addressOf(hash))?.current.hash === hash) return false;
		this.open({ key: null, hash }).apply({ type: 'accepted', jobId });
		return true;
	}

	/** A retry sends what an earlier try has recorded. Another retry, whose record is lost, may have sent it before. */
	resume(record: SubmissionRecord): SubmissionRecord {
		const { current } = record;
		if (current.state.kind === 'notSubmitted') record.apply({ type: 'resumed', mayExistSince: this.mayExistSince(current, current) });
		return record;
	}

	/**
	 * Call this before a new submission is opened: its key depends on the start of the execution.
	 * @throws ItemFault if n8n has lost the start, so that it cannot be known whether this item was sent before.
	 */
	checkStart(): void {
		if (this.item.identity.isStartLost) throw new ItemFault(messages.START_TIME_LOST());
	}

	/** A lost retry may have continued from what was recorded then, so a retry must search for its job. */
	private mayExistSince(submission: ItemSubmission, earlier: ItemSubmission | undefined): number | undefined {
		const { mayHaveSentSince, isStartLost = false } = this.item.identity;
		const isLostPossible = mayHaveSentSince !== undefined || isStartLost;
		const sinceEarlier = earlier && (earlier.mayExistSince ?? earlier.openedAt);
		return submission.mayExistSince ?? (isLostPossible ? (sinceEarlier ?? mayHaveSentSince) : undefined);
	}

	/** @returns the item's key: the same in every try and every retry of the execution, and different for every other item. */
	keyFor(hash: string): string {
		return this.keyAfter(this.entries[this.addressOf(hash)]?.endings ?? 0, hash);
	}

	/** @returns what the item's seeds are derived from: its first key. */
	seedKeyFor(hash: string): string {
		return this.keyAfter(0, hash);
	}

	/** @returns what `keyFor` would return after one more job, after two more, and so on. */
	laterKeys({ hash, endings }: Pick<ItemSubmission, 'hash' | 'endings'>): string[] {
		return Array.from({ length: MAX_LOST_JOBS }, (_, nth) => this.keyAfter(endings + nth + 1, hash));
	}

	private keyAfter(endings: number, hash: string): string {
		const { identity, nodeId } = this.item;
		return deriveKey([...identity.parts, nodeId, this.item.identify(hash), ...(endings > 0 ? [endings] : [])]);
	}

	private recordAt(address: string): SubmissionRecord | undefined {
		const stored = this.entries[address];
		return this.records.get(address) ?? (stored && this.newRecord(address, parseSubmission(stored)));
	}

	private newRecord(address: string, submission: ItemSubmission): SubmissionRecord {
		const record = new SubmissionRecord(submission, (changed) => {
			this.entries[address] = toStored(changed);
			addClaims(claimsOf(this.entries), changed);
		});
		this.records.set(address, record);
		return record;
	}

	/** An agent may call its tool several times in what older versions of n8n count as one run. */
	private addressOf(hash: string): string {
		const { identity, itemIndex, isTool } = this.item;
		const address = `${identity.run}:${itemIndex}`;
		return isTool ? `${address}:${hash}` : address;
	}
}

const claims = new WeakMap<StoredEntries, Set<string>>();

/** Reads the entries once, however many items a run has. */
function claimsOf(entries: StoredEntries): Set<string> {
	const known = claims.get(entries);
	if (known !== undefined) return known;
	const jobIds = new Set<string>();
	for (const entry of Object.values(entries)) addClaims(jobIds, parseSubmission(entry));
	claims.set(entries, jobIds);
	return jobIds;
}

function addClaims(jobIds: Set<string>, submission: ItemSubmission): void {
	for (const jobId of [jobIdOf(submission), ...submission.replacedJobIds]) if (jobId !== undefined) jobIds.add(jobId);
}

/**
 * Called once for each item, before anything of the item is sent.
 * @param dependsOnPlace whether the position of the item changes what it sends.
 */
export async function openLedger(
	{ execution, itemIndex, isTool }: Pick<ItemRun, 'execution' | 'itemIndex' | 'isTool'>,
	dependsOnPlace = false,
): Promise<SubmissionLedger> {
	const identity = await identifyExecution(execution);
	const entries = (execution.getContext('node')[FIELD] ??= {}) as StoredEntries;
	const item = { identity, nodeId: execution.getNode().id, itemIndex, isTool };
	const identifyCall = (hash: string): string => [identity.run, itemIndex, identifyToolCall(execution, identity, hash)].join(':');
	if (isTool) return new SubmissionLedger(entries, { ...item, identify: identifyCall });
	const row = identifyRows(execution, identity)[itemIndex] ?? '';
	const itemIdentity = dependsOnPlace ? `${row}@${itemIndex}` : row;
	return new SubmissionLedger(entries, { ...item, identify: () => itemIdentity });
}
