import { classOf } from './executionOrder';
import { isLink, readLiteral } from './literals';
import { inputSpec, type NodeClass, type NodeContext, type OutputName } from './nodeClass';
import { NodeFailure } from './nodeFailure';
import { NodeInputs } from './nodeInputs';
import type { ApiGraphNode, EngineRun } from './types';
import type { Value } from './values';

/** Executes one node on the results of the nodes before it; its values are its outputs, slot by slot. */
export async function executeNode(run: EngineRun, nodeId: string, results: Map<string, Value[]>, names: NameCounter): Promise<Value[]> {
	const nodeClass = classOf(run.graph, nodeId) as NodeClass;
	const inputs = resolveInputs(run.graph[nodeId] as ApiGraphNode, nodeClass, results);
	return await nodeClass.execute(inputs, contextOf(run, nodeId, names));
}

/** Inputs the class does not have are left out, as ComfyUI does. */
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
	const { graph, signal } = run;
	return {
		signal,
		graph,
		readInput: (reference) => run.readInput(reference),
		nextName: (prefix, extension) => names.next(prefix, extension),
		write: async (output) => {
			signal.throwIfAborted();
			await run.writeOutput({ nodeId, ...output });
		},
		progress: (value, max) => {
			if (!signal.aborted) run.onEvent({ kind: 'progress', nodeId, value, max });
		},
		previewType: run.previewType ?? 'image/jpeg',
		samplerStepMs: run.samplerStepMs ?? 0,
		gateOpen: () => run.gateOpen?.() ?? true,
		preview: (contentType, data) => {
			if (!signal.aborted) run.onEvent({ kind: 'preview', nodeId, contentType, data });
		},
		say: (text) => {
			if (!signal.aborted) run.onEvent({ kind: 'text', nodeId, text });
		},
	};
}

/** Counts each prefix from 1 in every run, so that names are predictable. */
export class NameCounter {
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
