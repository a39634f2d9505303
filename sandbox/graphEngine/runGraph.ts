import type { ResultCache } from './resultCache';
import { classOf, executionOrder, linksOf } from './executionOrder';
import { executeNode, NameCounter } from './executeNode';
import { NodeFailure } from './nodeFailure';
import { signaturesOf } from './signatures';
import type { ApiGraphNode, EngineError, EngineResult, EngineRun } from './types';
import type { Value } from './values';

/**
 * Executes what the graph's outputs need. A node whose result is remembered does not execute again, but an output node
 * always delivers, silently when nothing before it changed.
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

/** Outputs that are not remembered, and whatever unremembered nodes any output needs. */
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
