/** Replaces retired classes in a prompt, with the gaps that ComfyUI has: no mapping of inputs means no inputs. */
import type { NodeReplacement, NodeReplacements } from '../behaviour';
import { isRecord } from '../json';
import { EngineFault } from './answers';

/** @returns a prompt with the replaced nodes. @throws EngineFault if a mapping names an input that the node does not have. */
export function replaceNodes(prompt: unknown, all: NodeReplacements, isInstalled: (className: unknown) => boolean): unknown {
	if (!isRecord(prompt)) return prompt;
	const replacements = new Map<string, NodeReplacement>();
	for (const [id, node] of Object.entries(prompt)) {
		if (!isRecord(node) || isInstalled(node.class_type)) continue;
		const [first] = all[String(node.class_type)] ?? [];
		if (first !== undefined && isInstalled(first.new_node_id)) replacements.set(id, first);
	}
	const moveLink = (value: unknown): unknown => {
		const [id, slot] = Array.isArray(value) ? (value as unknown[]) : [];
		const moved = replacements.get(String(id))?.output_mapping?.find(({ old_idx: from }) => from === slot);
		return moved === undefined ? value : [id, moved.new_idx];
	};
	const replaceNode = ([id, node]: [string, unknown]): [string, unknown] => {
		if (!isRecord(node) || !isRecord(node.inputs)) return [id, node];
		const inputs = Object.fromEntries(Object.entries(node.inputs).map(([name, value]) => [name, moveLink(value)]));
		const replacement = replacements.get(id);
		if (replacement === undefined) return [id, { ...node, inputs }];
		return [id, { ...node, class_type: replacement.new_node_id, inputs: mapInputs(inputs, replacement) }];
	};
	return Object.fromEntries(Object.entries(prompt).map(replaceNode));
}

function mapInputs(inputs: Record<string, unknown>, { input_mapping: mapping }: NodeReplacement): Record<string, unknown> {
	const entries = (mapping ?? []).map(({ new_id: name, old_id: oldName, ...more }): [string, unknown] => {
		if ('set_value' in more) return [name, more.set_value];
		if (oldName === undefined || !(oldName in inputs)) throw new EngineFault();
		return [name, inputs[oldName]];
	});
	return Object.fromEntries(entries);
}
