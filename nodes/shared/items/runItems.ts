import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { clock, type Connection, onAbort, STOP_LIMIT_MS, StoppedError } from '../../../client';
import { ServiceConnections } from '../connect/serviceConnections';
import { outboundNetworkOf } from '../connect/openConnection';
import { concurrency, reportLostServer, waitForServer } from '../descriptions/common';
import { withDebugLog, logDecision } from '../debugLog';
import { inParallel } from './inParallel';
import { findEarlierFailure, moveAdviceToMessage, type ItemFailure, toItemFailure, addExistingJobs } from './itemFailure';
import { shouldAnswerFailures, isFailed, isToolRun, type ItemOutcome, toOutputItems } from './outputItems';
import { type ConnectionProvider, isShuttingDown, type ItemRun, type Operation, type OpenLimits, type StartedItem } from '../operation';
import type { NamedCredential, ServiceCredential } from '../credentials';
import { EmptyField, ItemFault } from '../itemFault';
import { ItemProgress } from '../itemProgress';
import { readOption } from '../options';
import type { ReadParameter } from '../parameters';
import { ServerRecognition } from '../connect/recognizeServer';
import { watchShutdown, shutdown } from './shutdown';
import { itemBeginsLine, itemEndsLine, itemFailsLine } from '../messages/logLines';
import { messages } from '../messages/catalogue';
import { addAdvice } from '../nodeErrors';
import { describeNotBegun, stoppedFault } from '../explain/stopped';
import { resultMask } from '../withoutSecrets';

/**
 * Runs each item through the operation that it chooses, at most *Concurrency* at a time. Results are in input order and
 * paired. If an item fails without Continue On Fail, no further item is started, running items finish, and the failure names
 * the jobs that exist. If the execution is stopped, the operation's `onStop` runs for each item. If n8n shuts down, `onStop`
 * does not run: jobs continue, and a retry recovers them.
 */
class NodeRun<ConnectionType, Credential extends NamedCredential> {
	private readonly signal: AbortSignal;
	private readonly shutdownWatch: ReturnType<typeof watchShutdown>;
	private readonly isTool: boolean;
	/** Whether a failure becomes an item. */
	private readonly continuesOnFail: boolean;
	private readonly outcomes: Array<ItemOutcome | undefined>;
	private readonly progress: ItemProgress[];
	/** Of the items that were started and have a connection. */
	private readonly started: Array<StartedItem<unknown, ConnectionType, Credential>> = [];
	private readonly recognition: ServerRecognition;
	private readonly credentials = new Map<string, Credential>();
	/** Aborted when an item fails and failures do not become items. */
	private readonly startNoFurther = new AbortController();

	constructor(
		private readonly execution: IExecuteFunctions,
		private readonly operations: Record<string, Operation<unknown, ConnectionType, Credential>>,
		private readonly connections: ConnectionProvider<ConnectionType, Credential>,
		private readonly itemCount: number,
	) {
		this.signal = execution.getExecutionCancelSignal() ?? new AbortController().signal;
		this.isTool = isToolRun(execution);
		this.continuesOnFail = execution.continueOnFail() || shouldAnswerFailures(execution);
		this.recognition = new ServerRecognition(outboundNetworkOf(execution));
		this.outcomes = new Array<ItemOutcome | undefined>(itemCount).fill(undefined);
		this.progress = Array.from({ length: itemCount }, () => new ItemProgress());
		this.shutdownWatch = watchShutdown(this.signal);
	}

	async run(outputCount: number): Promise<INodeExecutionData[][]> {
		const stopListening = onAbort(this.signal, () => this.progress.forEach((item) => item.notifyStopped()));
		try {
			if (this.signal.aborted) throw this.toStopFailure();
			const concurrency = this.itemCount === 0 ? 0 : this.prepare();
			const stop = AbortSignal.any([this.signal, this.startNoFurther.signal]);
			await inParallel(
				this.outcomes,
				concurrency,
				async (_, index, endTurn) => {
					const outcome = await this.runItem(index, endTurn);
					this.outcomes[index] = outcome;
					if (isFailed(outcome) && !this.continuesOnFail) this.startNoFurther.abort();
				},
				stop,
			);
			if (this.signal.aborted) await this.stopRun();
		} finally {
			await this.endRun();
			stopListening();
			this.shutdownWatch.end();
			await this.connections.close();
		}
		const failed = this.outcomes.find(isFailed);
		if (failed !== undefined && !this.continuesOnFail) throw this.toRunFailure(failed.failure);
		return toOutputItems(this.outcomes, outputCount, this.isTool);
	}

	/** Returns the function that reads the parameters of an item. */
	private parameterReader(itemIndex: number): ReadParameter {
		return <T>(name: string, fallback?: T) => this.execution.getNodeParameter(name, itemIndex, fallback) as T;
	}

	private progressOf(itemIndex: number): ItemProgress {
		return this.progress[itemIndex] as ItemProgress;
	}

	/** Returns the name of the operation, or an empty text if the node has only one. */
	private operationName(itemIndex: number): string {
		if (Object.keys(this.operations).length === 1) return '';
		const read = this.parameterReader(itemIndex);
		return [read<string>('resource', ''), read<string>('operation')].filter(Boolean).join(':');
	}

	private operationOf(itemIndex: number): Operation<unknown, ConnectionType, Credential> {
		const [only, ...others] = Object.values(this.operations);
		if (only !== undefined && others.length === 0) return only;
		const name = this.operationName(itemIndex);
		const operation = this.operations[name];
		if (operation === undefined) throw new ItemFault(messages.OPERATION_UNKNOWN(name));
		return operation;
	}

	/**
	 * Finds mistakes that show only when all items are compared, before any request is sent.
	 * @returns how many items may run at the same time.
	 */
	private prepare(): number {
		try {
			this.operationOf(0).checkItems?.(this.outcomes.map((_, index) => this.parameterReader(index)));
			return Math.floor(readOption(concurrency, this.parameterReader(0)));
		} catch (error) {
			throw toItemFailure(this.execution, 0, error, {}).error;
		}
	}

	/** Items with equal credentials get one object, so that what is derived from it, such as the mask of its secrets, is made once. */
	private async readCredential(itemIndex: number): Promise<Credential> {
		const read = await this.connections.readCredential(itemIndex, this.operationOf(itemIndex));
		const id = JSON.stringify(read);
		const known = this.credentials.get(id) ?? read;
		this.credentials.set(id, known);
		return known;
	}

	private async runItem(itemIndex: number, endTurn: () => void): Promise<ItemOutcome> {
		const startedAt = clock.realNow();
		const elapsedMs = (): number => clock.realNow() - startedAt;
		let credential: Credential | undefined;
		try {
			const itemCredential = await this.readCredential(itemIndex);
			credential = itemCredential;
			return await this.withLog(itemIndex, credential, async () => {
				logDecision(() => itemBeginsLine(this.execution.getNode().type, this.operationName(itemIndex), itemCredential));
				const { item, settings } = await this.openItem(itemIndex, itemCredential, { endTurn });
				this.started.push({ item, settings });
				const executed = await this.operationOf(itemIndex).execute(item, settings);
				const withoutSecrets = resultMask(itemCredential);
				const results = [executed].flat().map((result) => ({ ...result, json: withoutSecrets(result.json) }));
				logDecision(() => itemEndsLine(results, this.progressOf(itemIndex).reported, elapsedMs()));
				return { results };
			});
		} catch (thrown) {
			return await this.withLog(itemIndex, credential, async () => {
				const failure = await this.describeFailure(itemIndex, thrown, credential);
				const { files } = this.progressOf(itemIndex);
				if (Object.keys(files).length > 0) failure.item.binary = files;
				logDecision(() => itemFailsLine(failure.error.message, elapsedMs()));
				return { failure };
			});
		}
	}

	private async describeFailure(itemIndex: number, thrown: unknown, credential: Credential | undefined): Promise<ItemFailure> {
		const { reported } = this.progressOf(itemIndex);
		const error = thrown instanceof StoppedError && this.isShuttingDown ? new ItemFault(messages.SHUTDOWN_DURING_ITEM()) : thrown;
		const cause = await this.recognition.addProduct(error, credential, this.shutdownWatch.shutdownSignal);
		const earlier = error instanceof EmptyField ? findEarlierFailure(this.execution.getInputData()[itemIndex]?.json ?? {}) : undefined;
		if (earlier !== undefined)
			return toItemFailure(this.execution, itemIndex, earlier.fault, { ...earlier.reported, ...reported }, credential);
		return toItemFailure(this.execution, itemIndex, cause, reported, credential);
	}

	/** Logs what the work does, if n8n logs at level debug. */
	private async withLog<T>(itemIndex: number, credential: Credential | undefined, work: () => Promise<T>): Promise<T> {
		return await withDebugLog(this.execution, { itemIndex, progress: this.progressOf(itemIndex), credential }, work);
	}

	private async openItem(
		itemIndex: number,
		credential: Credential,
		{ endTurn = () => undefined, within }: { endTurn?: () => void; within?: AbortSignal },
	): Promise<StartedItem<unknown, ConnectionType, Credential>> {
		const read = this.parameterReader(itemIndex);
		const settings = this.operationOf(itemIndex).settings(read, this.isTool);
		const limits: OpenLimits = {
			signal: within ?? this.connectSignal,
			waitForServerMs: readOption(waitForServer, read, this.isTool),
			lostAfterMs: readOption(reportLostServer, read),
		};
		const item: ItemRun<ConnectionType, Credential> = {
			execution: this.execution,
			itemIndex,
			credential,
			connection: await this.connections.open(credential, limits),
			signal: this.signal,
			shutdownSignal: this.shutdownWatch.shutdownSignal,
			isTool: this.isTool,
			progress: this.progressOf(itemIndex),
			endTurn,
		};
		return { item, settings };
	}

	/** Limits how long an item waits for a server that does not answer. While n8n shuts down, the limit is short. */
	private get connectSignal(): AbortSignal {
		return this.isShuttingDown ? AbortSignal.any([this.signal, clock.signalAfter(STOP_LIMIT_MS)]) : this.shutdownWatch.shutdownSignal;
	}

	private get isShuttingDown(): boolean {
		return isShuttingDown({ shutdownSignal: this.shutdownWatch.shutdownSignal, signal: this.signal });
	}

	private async stopRun(): Promise<never> {
		if (!shutdown.signal.aborted) await this.runStopHandlers();
		throw this.toStopFailure();
	}

	private async runStopHandlers(): Promise<void> {
		await Promise.allSettled(
			this.outcomes.map(async (outcome, index) => {
				const operation = this.operationOf(index);
				const credential = await this.readCredential(index);
				await this.withLog(index, credential, async () => {
					const { item, settings } = await this.openItem(index, credential, { within: clock.signalAfter(STOP_LIMIT_MS) });
					await operation.onStop?.(item, settings, outcome !== undefined);
				});
			}),
		);
	}

	/** Lets each operation finish its items together. A failure here does not replace the results of the items. */
	private async endRun(): Promise<void> {
		if (this.isShuttingDown) return;
		await Promise.allSettled(
			Object.values(this.operations).map(async (operation) => {
				const started = this.started.filter(({ item }) => this.operationOf(item.itemIndex) === operation);
				const [first] = started;
				if (first === undefined || operation.onRunEnd === undefined) return;
				await this.withLog(first.item.itemIndex, first.item.credential, async () => await operation.onRunEnd?.(started));
			}),
		);
	}

	/** Items begin in their order, so all items after the last one that was begun were not begun. */
	private toStopFailure(): ItemFailure['error'] {
		const begun = this.outcomes.findLastIndex((outcome) => outcome !== undefined) + 1;
		return toItemFailure(this.execution, 0, stoppedFault(begun, this.itemCount), {}).error;
	}

	private indexesNotBegun(): number[] {
		return [...this.outcomes.keys()].filter((index) => this.outcomes[index] === undefined);
	}

	private toRunFailure(failure: ItemFailure): Error {
		const [first] = Object.values(this.operations);
		const error = addExistingJobs(failure, this.progress, first?.existingJobsAdvice);
		if (this.isShuttingDown) addAdvice(error, describeNotBegun(this.indexesNotBegun()));
		return this.isTool ? moveAdviceToMessage(error) : error;
	}
}

/**
 * Runs all items of a node. See `NodeRun`.
 * @param operations by name, or by `resource:operation` if the node has resources.
 * @param outputCount the number of outputs in the node's description.
 */
export async function runItems(
	execution: IExecuteFunctions,
	operations: Record<string, Operation<unknown>>,
	outputCount = 1,
): Promise<INodeExecutionData[][]> {
	return await runItemsWith<Connection, ServiceCredential>(execution, operations, new ServiceConnections(execution), outputCount);
}

/** Runs all items of a node with connections of any kind. See `runItems` for the parameters. */
export async function runItemsWith<ConnectionType, Credential extends NamedCredential>(
	execution: IExecuteFunctions,
	operations: Record<string, Operation<unknown, ConnectionType, Credential>>,
	connections: ConnectionProvider<ConnectionType, Credential>,
	outputCount = 1,
): Promise<INodeExecutionData[][]> {
	return await new NodeRun(execution, operations, connections, execution.getInputData().length).run(outputCount);
}
