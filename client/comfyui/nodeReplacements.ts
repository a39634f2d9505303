import type { Engine } from '../generated/engine';
import { isRecord, type JsonRecord, listOf, numberOr, recordsOf, requireRecord, textOr, type Unchecked } from '../json/decode';
import type { InputMapping, NodeReplacement, NodeReplacements } from '../ports/serverControl';

/** Decodes `/node_replacements`. A class may have several replacements. ComfyUI uses only the first. */
export const decodeReplacements = (value: unknown): NodeReplacements =>
	Object.fromEntries(
		Object.entries(requireRecord(value, 'answer')).flatMap(([oldClass, entries]) => {
			const replacement = decodeReplacement(listOf(entries)[0]);
			return replacement === undefined ? [] : [[oldClass, replacement]];
		}),
	);

function decodeReplacement(entry: unknown): NodeReplacement | undefined {
	if (!isRecord(entry)) return undefined;
	const {
		new_node_id: id,
		old_widget_ids: widgets,
		input_mapping: inputs,
		output_mapping: outputs,
	}: Unchecked<Engine['NodeReplacement']> = entry;
	const newClass = textOr(id, undefined);
	if (newClass === undefined) return undefined;
	return {
		newClass,
		...(Array.isArray(widgets) && { oldWidgets: widgets.map(String) }),
		...(Array.isArray(inputs) && { inputs: recordsOf(inputs).flatMap(decodeInputMapping) }),
		...(Array.isArray(outputs) && { outputs: recordsOf(outputs).flatMap(decodeOutputMapping) }),
	};
}

function decodeInputMapping({ new_id: newId, old_id: oldId, ...more }: JsonRecord): InputMapping[] {
	const [to, from] = [textOr(newId, undefined), textOr(oldId, undefined)];
	if (to === undefined) return [];
	if ('set_value' in more) return [{ to, value: more.set_value }];
	return from === undefined ? [] : [{ to, from }];
}

function decodeOutputMapping({ new_idx: newIndex, old_idx: oldIndex }: JsonRecord): NonNullable<NodeReplacement['outputs']> {
	const [to, from] = [numberOr(newIndex, undefined), numberOr(oldIndex, undefined)];
	return to === undefined || from === undefined ? [] : [{ to, from }];
}
