import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Connection } from '../../client';
import { Connections, egressOf } from './connect';
import { inParallel } from './inParallel';
import { answerOf, inOneText, type ItemFailure, toItemFailure, withExistingJobs } from './nodeErrors';
import { earlierFailure } from './earlierFailure';
import { type Doors, EmptyField, type ItemContext, ItemFault, type ItemResult, type NamedCredential, type Operation, type ReadParameter, type ServiceCredential, STOP_LIMIT_MS } from './operations';
import { numberOf } from './parameters';
import { Recognition } from './recognition';
import { answersFailures, isToolRun } from './toolRun';
import { stoppedFault } from './messages/stopped';

export const DEFAULT_CONCURRENCY = 5;

type Outcome = { results: ItemResult[] } | { failure: ItemFailure };

const readerOf =
	(execution: IExecuteFunctions, itemIndex: number): ReadParameter =>
	<T>(name: string, fallback?: T) =>
		execution.getNodeParameter(name, itemIndex, fallback) as T;

/** n8n's Retry On Fail runs a node again whose item has a top-level `error`, so a field of that name is set aside. */
function withoutErrorField({ error, ...json }: IDataObject): IDataObject {
	return error === undefined ? json : { ...json, service_error: error };
}

/**
 * Runs every item through the operation it chooses: at most *Concurrency* at a time, results in input order and paired.
 * When an item fails without Continue On Fail nothing new is started, running items finish, and the failure names the
 * jobs that exist. When the execution is stopped, every item is handed to the operation's `onStop`.
 */
class ItemRun<Link, Credential extends NamedCredential> {
	private readonly signal: AbortSignal;
	private readonly isTool: boolean;
	/** A failure is an item, too. */
	private readonly goesOn: boolean;
	private readonly outcomes: Array<Outcome | undefined>;
	private readonly known: IDataObject[];
	private readonly existing = new Set<string>();
	private readonly recognition: Recognition;
	private halted = false;

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
		this.outcomes = new Array<Outcome | undefined>(itemCount).fill(undefined);
		this.known = Array.from({ length: itemCount }, () => ({}));
	}

	async run(outputCount: number): Promise<INodeExecutionData[][]> {
		try {
			if (this.signal.aborted) throw this.stopped();
			const concurrency = this.itemCount === 0 ? 0 : this.prepare();
			await inParallel(this.outcomes, concurrency, async (_, index, endTurn) => await this.work(index, endTurn));
			if (this.signal.aborted) await this.stop();
		} finally {
			await this.doors.close();
		}
		return this.outputs(outputCount);
	}

	private read(itemIndex: number): ReadParameter {
		return readerOf(this.execution, itemIndex);
	}

	private operationOf(itemIndex: number): Operation<unknown, Link, Credential> {
		const [only, ...others] = Object.values(this.operations);
		if (only !== undefined && others.length === 0) return only;
		const read = this.read(itemIndex);
		const name = [read<string>('resource', ''), read<string>('operation')].filter(Boolean).join(':');
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
			const concurrency = numberOf(this.read(0)('options.concurrency', DEFAULT_CONCURRENCY), 'Concurrency', 1);
			return Math.floor(concurrency);
		} catch (error) {
			throw toItemFailure(this.execution, 0, error, {}).error;
		}
	}

	private async work(itemIndex: number, endTurn: () => void): Promise<void> {
		if (this.halted || this.signal.aborted) return;
		const outcome = await this.runOne(itemIndex, endTurn);
		this.outcomes[itemIndex] = outcome;
		if ('failure' in outcome && !this.goesOn) this.halted = true;
	}

	private async runOne(itemIndex: number, endTurn: () => void): Promise<Outcome> {
		let credential: Credential | undefined;
		try {
			credential = await this.credentialOf(itemIndex);
			const context = await this.contextOf(itemIndex, credential, this.signal);
			const results = await this.operationOf(itemIndex).execute({ ...context, endTurn });
			return { results: Array.isArray(results) ? results : [results] };
		} catch (error) {
			const known = this.known[itemIndex] ?? {};
			const cause = await this.recognition.of(error, credential, this.signal);
			const earlier = error instanceof EmptyField ? earlierFailure(this.execution.getInputData()[itemIndex]?.json ?? {}) : undefined;
			if (earlier !== undefined) return { failure: toItemFailure(this.execution, itemIndex, earlier.fault, { ...earlier.known, ...known }, credential) };
			return { failure: toItemFailure(this.execution, itemIndex, cause, known, credential) };
		}
	}

	private async credentialOf(itemIndex: number): Promise<Credential> {
		return await this.doors.credentialOf(itemIndex, this.operationOf(itemIndex));
	}

	private async contextOf(itemIndex: number, credential: Credential, signal: AbortSignal): Promise<ItemContext<unknown, Link, Credential>> {
		const operation = this.operationOf(itemIndex);
		const settings = operation.settings(this.read(itemIndex), this.isTool);
		return {
			execution: this.execution,
			itemIndex,
			settings,
			credential,
			connection: await this.doors.with(credential, { signal, milliseconds: operation.patienceMs?.(settings) }),
			signal: this.signal,
			isTool: this.isTool,
			known: this.known[itemIndex] ?? {},
			existing: this.existing,
			endTurn: () => undefined,
		};
	}

	private async stop(): Promise<never> {
		await Promise.allSettled(
			this.outcomes.map(async (outcome, index) => {
				const operation = this.operationOf(index);
				const context = await this.contextOf(index, await this.credentialOf(index), AbortSignal.timeout(STOP_LIMIT_MS));
				await operation.onStop?.({ ...context, signal: this.signal }, outcome !== undefined);
			}),
		);
		throw this.stopped();
	}

	/** Items are begun in their order: from one on, none was. */
	private stopped(): ItemFailure['error'] {
		const begun = this.outcomes.findLastIndex((outcome) => outcome !== undefined) + 1;
		return toItemFailure(this.execution, 0, stoppedFault(begun, this.itemCount), {}).error;
	}

	private failureOf(failure: ItemFailure): Error {
		const [first] = Object.values(this.operations);
		const error = withExistingJobs(failure, this.known, this.existing, first?.existingJobsAdvice);
		return this.isTool ? inOneText(error) : error;
	}

	private outputs(outputCount: number): INodeExecutionData[][] {
		const outputs: INodeExecutionData[][] = Array.from({ length: outputCount }, () => []);
		for (const [itemIndex, outcome] of this.outcomes.entries()) {
			if (outcome === undefined) continue;
			if ('failure' in outcome) {
				if (!this.goesOn) throw this.failureOf(outcome.failure);
				outputs[0]?.push(this.isTool ? answerOf(outcome.failure) : outcome.failure.item);
				continue;
			}
			for (const { json, binary, output = 0 } of outcome.results) {
				const target = outputs[this.isTool ? 0 : output];
				target?.push({ json: withoutErrorField(json), binary, pairedItem: { item: itemIndex } });
			}
		}
		return outputs;
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
