/** Runs graphs of image nodes in this process. */
import { type ResultCache, signaturesOf } from './resultCache';
import type { ApiGraphNode, EngineError, EngineResult, EngineRun } from './types';
import { classOf, executionOrder, isLink, linksOf, readLiteral } from './readGraph';
import { inputSpec, type NodeClass, type NodeContext, NodeFailure, NodeInputs, type OutputName } from './nodeClass';
import type { Value } from './values';

/**
 * Executes the nodes that the outputs of the graph need. A node with a cached result is not executed again. An output node
 * always delivers its files, without events if no node before it changed. Several runs can overlap. Never rejects.
 * @param run with a valid graph.
 */
export async function runGraph(run: EngineRun, cache: ResultCache): Promise<EngineResult> {
	let current: string | undefined;
	try {
		const order = executionOrder(run.graph, undefined, run.targets);
		const signatures = await signaturesOf(run, order);
		const remembered = new Map<string, Value[]>();
		for (const [id, signature] of signatures) {
			const values = cache.get(signature);
			if (values) remembered.set(id, values);
		}
		const executing = nodesToExecute(run, order, remembered);
		const skipped = order.filter((id) => !executing.has(id));
		run.onEvent({ kind: 'cached', nodeIds: skipped });

		const results = new Map(remembered);
		const names = new NameCounter();
		for (current of order) {
			run.signal.throwIfAborted();
			const classType = (run.graph[current] as ApiGraphNode).class_type;
			const executes = executing.has(current);
			if (!executes && !classOf(run.graph, current)?.isOutput) continue;
			if (executes) run.onEvent({ kind: 'executing', nodeId: current, classType });
			const values = await executeNode(run, current, results, names);
			run.signal.throwIfAborted();
			results.set(current, values);
			cache.set(signatures.get(current) as string, values);
			if (executes) run.onEvent({ kind: 'executed', nodeId: current, classType });
		}
		return { status: 'succeeded' };
	} catch (error) {
		if (run.signal.aborted) return { status: 'canceled' };
		return { status: 'failed', error: describeFailure(error, current ?? '', run) };
	}
}

/** All nodes without a cached result that an output needs. */
function nodesToExecute(run: EngineRun, order: string[], remembered: Map<string, Value[]>): Set<string> {
	const needed = new Set<string>();
	for (const id of order.toReversed()) {
		const isOutput = classOf(run.graph, id)?.isOutput ?? false;
		if (!isOutput && (!needed.has(id) || remembered.has(id))) continue;
		needed.add(id);
		for (const { from } of linksOf(run.graph[id] as ApiGraphNode)) needed.add(from);
	}
	return new Set(order.filter((id) => needed.has(id) && !remembered.has(id)));
}

function describeFailure(error: unknown, nodeId: string, run: EngineRun): EngineError {
	const classType = run.graph[nodeId]?.class_type ?? '';
	const message = error instanceof Error ? error.message : String(error);
	const exceptionType = error instanceof NodeFailure ? error.exceptionType : error instanceof Error ? error.name : 'RuntimeError';
	return {
		node_id: nodeId,
		class_type: classType,
		exception_type: exceptionType,
		message,
		traceback: [
			'Traceback (most recent call last):\n',
			`  Node #${nodeId}, class ${classType}, in execute\n`,
			`${exceptionType}: ${message}\n`,
		],
	};
}

/** Executes one node with the results of the nodes before it. @returns a value for each output slot. */
async function executeNode(run: EngineRun, nodeId: string, results: Map<string, Value[]>, names: NameCounter): Promise<Value[]> {
	const nodeClass = classOf(run.graph, nodeId) as NodeClass;
	const inputs = resolveInputs(run.graph[nodeId] as ApiGraphNode, nodeClass, results);
	return await nodeClass.execute(inputs, contextOf(run, nodeId, names));
}

/** Leaves out inputs that the class does not have, as ComfyUI does. */
function resolveInputs(node: ApiGraphNode, nodeClass: NodeClass, results: Map<string, Value[]>): NodeInputs {
	const values: Record<string, Value> = {};
	for (const [name, written] of Object.entries(node.inputs)) {
		const spec = inputSpec(nodeClass, name);
		if (!spec) continue;
		const value = isLink(written) ? results.get(written[0])?.[written[1]] : readLiteral(spec, name, written);
		if (value === undefined) throw new NodeFailure('IndexError', `'${name}' received nothing`);
		if ('problem' in value) throw new NodeFailure('ValueError', value.problem.reason);
		values[name] = value;
	}
	return new NodeInputs(values);
}

function contextOf(run: EngineRun, nodeId: string, names: NameCounter): NodeContext {
	const { signal } = run;
	return {
		...run,
		nextName: (prefix, extension) => names.next(prefix, extension),
		write: async (output) => {
			signal.throwIfAborted();
			await run.writeOutput({ nodeId, ...output });
		},
		emit: (event) => {
			if (!signal.aborted) run.onEvent({ nodeId, ...event });
		},
	};
}

/** Counts each prefix from 1 in every run, so that file names are predictable. */
class NameCounter {
	private readonly counts = new Map<string, number>();

	next(prefix: string, extension: string): OutputName {
		const parts = prefix.split(/[\\/]/);
		if (parts.includes('..') || prefix.startsWith('/')) {
			throw new NodeFailure('Exception', 'Saving outside the output folder is not allowed');
		}
		const key = `${prefix}.${extension}`;
		const count = (this.counts.get(key) ?? 0) + 1;
		this.counts.set(key, count);
		return { name: `${parts.at(-1)}_${String(count).padStart(5, '0')}_.${extension}`, subfolder: parts.slice(0, -1).join('/') };
	}
}
