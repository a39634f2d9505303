import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { clock, type Connection, onAbort, STOP_LIMIT_MS, StoppedError } from '../../../client';
import { Connections } from '../connect/connections';
import { egressOf } from '../connect/egress';
import { DEFAULT_CONCURRENCY, readWaitForServer } from '../descriptions/common';
import { logged, noted } from '../debugLog';
import { inParallel } from './inParallel';
import { inOneText, type ItemFailure, toItemFailure, withExistingJobs } from './itemFailure';
import { isFailed, type ItemOutcome, outputItems } from './outputItems';
import { earlierFailure } from './earlierFailure';
import { type Doors, type ItemContext, isLeft, type Operation, type Patience } from '../operation';
import type { NamedCredential, ServiceCredential } from '../credentials';
import { EmptyField, ItemFault } from '../itemFault';
import { ItemProgress } from '../itemProgress';
import { enteredNumber, type ReadParameter } from '../parameters';
import { Recognition } from '../connect/recognition';
import { leavingOf, shutdown } from './shutdown';
import { answersFailures, isToolRun } from './toolRun';
import { itemBeginsLine, itemEndsLine, itemFailsLine } from '../messages/logLines';
import { leftItem, leftItems, stoppedFault } from '../messages/stopping';
import { resultMask } from '../withoutSecrets';

const readerOf =
	(execution: IExecuteFunctions, itemIndex: number): ReadParameter =>
	<T>(name: string, fallback?: T) =>
		execution.getNodeParameter(name, itemIndex, fallback) as T;

/**
 * Runs every item through the operation it chooses: at most *Concurrency* at a time, results in input order and paired.
 * When an item fails without Continue On Fail nothing new is started, running items finish, and the failure names the
 * jobs that exist. When the execution is stopped, every item is handed to the operation's `onStop`; not so when n8n itself
 * is: then jobs go on, and the items find them again.
 */
class ItemRun<Link, Credential extends NamedCredential> {
	private readonly signal: AbortSignal;
	private readonly left: ReturnType<typeof leavingOf>;
	private readonly isTool: boolean;
	/** A failure is an item, too. */
	private readonly goesOn: boolean;
	private readonly outcomes: Array<ItemOutcome | undefined>;
	private readonly progress: ItemProgress[];
	private readonly recognition: Recognition;
	/** An item has failed, and no failure is an item. */
	private readonly halt = new AbortController();

	constructor(
		private readonly execution: IExecuteFunctions,
		private readonly operations: Record<string, Operation<unknown, Link, Credential>>,
		private readonly doors: Doors<Link, Credential>,
		private readonly itemCount: number,
	) {
		this.signal = execution.getExecutionCancelSignal() ?? new AbortController().signal;
		this.isTool = isToolRun(execution);
		this.goesOn = execution.continueOnFail() || answersFailures(execution);
		this.recognition = new Recognition(egressOf(execution));
		this.outcomes = new Array<ItemOutcome | undefined>(itemCount).fill(undefined);
		this.progress = Array.from({ length: itemCount }, () => new ItemProgress());
		this.left = leavingOf(this.signal);
	}

	async run(outputCount: number): Promise<INodeExecutionData[][]> {
		const stopListening = onAbort(this.signal, () => this.progress.forEach((item) => item.notifyStopped()));
		try {
			if (this.signal.aborted) throw this.stopped();
			const concurrency = this.itemCount === 0 ? 0 : this.prepare();
			const stop = AbortSignal.any([this.signal, this.halt.signal]);
			await inParallel(this.outcomes, concurrency, async (_, index, endTurn) => await this.work(index, endTurn), stop);
			if (this.signal.aborted) await this.stop();
		} finally {
			stopListening();
			this.left.end();
			await this.doors.close();
		}
		const failed = this.outcomes.find(isFailed);
		if (failed !== undefined && !this.goesOn) throw this.failureOf(failed.failure);
		return outputItems(this.outcomes, outputCount, this.isTool);
	}

	private read(itemIndex: number): ReadParameter {
		return readerOf(this.execution, itemIndex);
	}

	private progressOf(itemIndex: number): ItemProgress {
		return this.progress[itemIndex] as ItemProgress;
	}

	/** Empty for a node that has only one. */
	private operationName(itemIndex: number): string {
		if (Object.keys(this.operations).length === 1) return '';
		const read = this.read(itemIndex);
		return [read<string>('resource', ''), read<string>('operation')].filter(Boolean).join(':');
	}

	private operationOf(itemIndex: number): Operation<unknown, Link, Credential> {
		const [only, ...others] = Object.values(this.operations);
		if (only !== undefined && others.length === 0) return only;
		const name = this.operationName(itemIndex);
		const operation = this.operations[name];
		if (operation === undefined) throw new ItemFault(`There is no operation "${name}"`, 'Choose one under Operation.');
		return operation;
	}

	/**
	 * Some mistakes show only when all items are looked at together; they are refused before anything is sent.
	 * @returns how many items to work on at the same time.
	 */
	private prepare(): number {
		try {
			this.operationOf(0).checkItems?.(this.outcomes.map((_, index) => this.read(index)));
			const concurrency = enteredNumber(this.read(0)('options.concurrency', DEFAULT_CONCURRENCY), 'Concurrency', 1);
			return Math.floor(concurrency);
		} catch (error) {
			throw toItemFailure(this.execution, 0, error, {}).error;
		}
	}

	private async work(itemIndex: number, endTurn: () => void): Promise<void> {
		const outcome = await this.runOne(itemIndex, endTurn);
		this.outcomes[itemIndex] = outcome;
		if (isFailed(outcome) && !this.goesOn) this.halt.abort();
	}

	private async runOne(itemIndex: number, endTurn: () => void): Promise<ItemOutcome> {
		const startedAt = clock.realNow();
		const elapsedMs = (): number => clock.realNow() - startedAt;
		let credential: Credential | undefined;
		try {
			credential = await this.credentialOf(itemIndex);
			return await this.inLog(itemIndex, credential, async (known) => {
				noted(() => itemBeginsLine(this.execution.getNode().type, this.operationName(itemIndex), known));
				const context = await this.contextOf(itemIndex, known);
				const executed = await this.operationOf(itemIndex).execute({ ...context, endTurn });
				const withoutSecrets = resultMask(context.credential);
				const results = [executed].flat().map((result) => ({ ...result, json: withoutSecrets(result.json) }));
				noted(() => itemEndsLine(results, this.progressOf(itemIndex).reported, elapsedMs()));
				return { results };
			});
		} catch (thrown) {
			return await this.inLog(itemIndex, credential, async () => {
				const failure = await this.failureFor(itemIndex, thrown, credential);
				noted(() => itemFailsLine(failure.error.message, elapsedMs()));
				return { failure };
			});
		}
	}

	private async failureFor(itemIndex: number, thrown: unknown, credential: Credential | undefined): Promise<ItemFailure> {
		const known = this.progressOf(itemIndex).reported;
		const error = thrown instanceof StoppedError && this.isLeft ? leftItem() : thrown;
		const cause = await this.recognition.of(error, credential, this.left.leaving);
		const earlier = error instanceof EmptyField ? earlierFailure(this.execution.getInputData()[itemIndex]?.json ?? {}) : undefined;
		if (earlier !== undefined) return toItemFailure(this.execution, itemIndex, earlier.fault, { ...earlier.known, ...known }, credential);
		return toItemFailure(this.execution, itemIndex, cause, known, credential);
	}

	/** n8n's log at debug tells what the work did. */
	private async inLog<T, Known extends Credential | undefined>(
		itemIndex: number,
		credential: Known,
		work: (credential: Known) => Promise<T>,
	): Promise<T> {
		const place = { itemIndex, progress: this.progressOf(itemIndex), credential };
		return await logged(this.execution, place, async () => await work(credential));
	}

	private async credentialOf(itemIndex: number): Promise<Credential> {
		return await this.doors.credentialOf(itemIndex, this.operationOf(itemIndex));
	}

	private async contextOf(
		itemIndex: number,
		credential: Credential,
		within?: AbortSignal,
	): Promise<ItemContext<unknown, Link, Credential>> {
		const operation = this.operationOf(itemIndex);
		const settings = operation.settings(this.read(itemIndex), this.isTool);
		const patience: Patience = { signal: within ?? this.patience, waitForServerMs: readWaitForServer(this.read(itemIndex)) };
		return {
			execution: this.execution,
			itemIndex,
			settings,
			credential,
			connection: await this.doors.open(credential, patience),
			signal: this.signal,
			leaving: this.left.leaving,
			isTool: this.isTool,
			progress: this.progressOf(itemIndex),
			endTurn: () => undefined,
		};
	}

	/** Nobody waits for a server to start while n8n ends; what has to be done then is tried. */
	private get patience(): AbortSignal {
		return this.isLeft ? AbortSignal.any([this.signal, clock.signalAfter(STOP_LIMIT_MS)]) : this.left.leaving;
	}

	private get isLeft(): boolean {
		return isLeft({ leaving: this.left.leaving, signal: this.signal });
	}

	private async stop(): Promise<never> {
		if (!shutdown.signal.aborted) await this.tellOperations();
		throw this.stopped();
	}

	private async tellOperations(): Promise<void> {
		await Promise.allSettled(
			this.outcomes.map(async (outcome, index) => {
				const operation = this.operationOf(index);
				await this.inLog(index, await this.credentialOf(index), async (credential) => {
					const context = await this.contextOf(index, credential, clock.signalAfter(STOP_LIMIT_MS));
					await operation.onStop?.({ ...context, signal: this.signal }, outcome !== undefined);
				});
			}),
		);
	}

	/** Items are begun in their order: from one on, none was. */
	private stopped(): ItemFailure['error'] {
		const begun = this.outcomes.findLastIndex((outcome) => outcome !== undefined) + 1;
		return toItemFailure(this.execution, 0, stoppedFault(begun, this.itemCount), {}).error;
	}

	private notBegun(): number[] {
		return [...this.outcomes.keys()].filter((index) => this.outcomes[index] === undefined);
	}

	private failureOf(failure: ItemFailure): Error {
		const [first] = Object.values(this.operations);
		const error = withExistingJobs(failure, this.progress, first?.existingJobsAdvice);
		if (this.isLeft) error.description = [error.description, leftItems(this.notBegun())].filter(Boolean).join('\n');
		return this.isTool ? inOneText(error) : error;
	}
}

/**
 * The one item loop; see `ItemRun`.
 * @param operations by name; `resource:operation` where the node has resources.
 * @param outputCount the number of outputs in the node's description.
 */
export async function runItems(
	execution: IExecuteFunctions,
	operations: Record<string, Operation<unknown>>,
	outputCount = 1,
): Promise<INodeExecutionData[][]> {
	return await runItemsBehind<Connection, ServiceCredential>(execution, operations, new Connections(execution), outputCount);
}

/** The same for what is reached in another way. */
export async function runItemsBehind<Link, Credential extends NamedCredential>(
	execution: IExecuteFunctions,
	operations: Record<string, Operation<unknown, Link, Credential>>,
	doors: Doors<Link, Credential>,
	outputCount = 1,
): Promise<INodeExecutionData[][]> {
	return await new ItemRun(execution, operations, doors, execution.getInputData().length).run(outputCount);
}
