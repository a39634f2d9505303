import type { ApiGraph } from '../../ports/job';
import { type EditorFile, readEditorFile } from '../convert/editorFile';
import { withUniqueIds } from '../convert/expand/levels';
import { type Definitions, findInputDefinition } from '../inputs/definitions';
import { isEditorWidget } from '../inputs/graphNodes';
import { type GraphInput, listInputs } from '../inputs/listInputs';
import { listOutputNodes } from '../inputs/outputs';
import { type InputMark, readAppMarks } from './appMarks';
import { findOutputNodes, findWidget, type FoundWidget, type InputTarget } from './findWidget';

/** The form that the author of a workflow designed in the editor's App Mode. */
export interface App {
	/** In the author's order. */
	inputs: AppInput[];
	/** Ids of nodes in the converted graph; empty for all. */
	outputs: string[];
	/** Marks of the author that the workflow no longer has. */
	missing: MissingFromApp[];
}

export interface AppInput {
	/** `12:3.seed`, as in the converted graph. It stays the same until the author marks another input. */
	id: string;
	/** The author's name, with the title of the node if several inputs have the same name. */
	label: string;
	/** The author's description. */
	description?: string;
	input: GraphInput;
	/** Further inputs that receive the same value. One widget of a subgraph or primitive node can feed several inputs. */
	also: GraphInput[];
}

export interface MissingFromApp {
	is: 'input' | 'output';
	/** As far as the file has one. */
	label: string;
	/**
	 * `gone`: the file does not have the node or the input. `inactive`: the node is muted or bypassed. `linked`: the value comes from
	 * another node. `not_sent`: the widget exists only in the editor.
	 */
	why: 'gone' | 'inactive' | 'linked' | 'not_sent';
}

/**
 * Reads the form that a workflow's author designed in App Mode.
 * @param graph what the workflow was converted to.
 * @returns undefined if nothing is marked, because then the workflow is no app.
 */
export function readApp(workflow: unknown, graph: ApiGraph, definitions: Definitions): App | undefined {
	const marks = readAppMarks(workflow);
	if (marks === undefined) return undefined;
	const reader = new AppReader(withUniqueIds(readEditorFile(workflow)), graph, definitions);
	const found: TitledInput[] = [];
	const missing: MissingFromApp[] = [];
	for (const mark of marks.inputs) {
		const input = reader.findInput(mark);
		if ('why' in input) missing.push(input);
		else if (!found.some(({ id }) => id === input.id)) found.push(input);
	}
	const outputs = reader.findOutputs(marks.outputs);
	return { inputs: makeLabelsUnique(found), outputs: outputs.ids, missing: [...missing, ...outputs.missing] };
}

/** `title`: of the node that shows the input. */
type TitledInput = AppInput & { title: string };

const LONGEST_LABEL = 120;

const toLabel = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_LABEL);

class AppReader {
	private readonly inputs: Map<string, GraphInput>;

	constructor(
		private readonly file: EditorFile,
		private readonly graph: ApiGraph,
		private readonly definitions: Definitions,
	) {
		this.inputs = new Map(listInputs(graph, definitions).map((input) => [input.name, input]));
	}

	findInput(mark: InputMark): TitledInput | MissingFromApp {
		const widget = findWidget(this.file, mark);
		if (widget === undefined) return { is: 'input', label: mark.widget, why: 'gone' };
		const { node, targets } = widget;
		const label = toLabel(widget.label ?? this.nameInput(widget, mark.widget));
		const [input, ...also] = targets.flatMap(({ nodeId, input: name }) => this.inputs.get(`${nodeId}.${name}`) ?? []);
		if (input === undefined) return { is: 'input', label, why: targets[0] === undefined ? 'gone' : this.explainMissing(targets[0]) };
		const title = toLabel(node.title ?? this.file.subgraphs.get(node.className)?.name ?? node.className);
		const description = mark.description === undefined ? {} : { description: toLabel(mark.description) };
		return { id: input.name, label, title, ...description, input, also };
	}

	/** @returns the name that the definition gives to the input, else the name of the widget. */
	private nameInput({ targets: [first] }: FoundWidget, widget: string): string {
		const node = first && Object.hasOwn(this.graph, first.nodeId) ? this.graph[first.nodeId] : undefined;
		const displayName = node && first && findInputDefinition(this.definitions, node, first.input)?.settings.display_name;
		return typeof displayName === 'string' && displayName.trim() !== '' ? displayName : (widget.split('.').at(-1) as string);
	}

	private explainMissing({ nodeId, input }: InputTarget): MissingFromApp['why'] {
		const node = Object.hasOwn(this.graph, nodeId) ? this.graph[nodeId] : undefined;
		if (node === undefined) return 'inactive';
		if (!Object.hasOwn(node.inputs, input)) return isEditorWidget(node, input) ? 'not_sent' : 'gone';
		return Array.isArray(node.inputs[input]) ? 'linked' : 'not_sent';
	}

	findOutputs(marked: string[]): { ids: string[]; missing: MissingFromApp[] } {
		const graphIds = Object.keys(this.graph);
		const outputIds = new Set(listOutputNodes(this.graph, this.definitions).map(({ nodeId }) => nodeId));
		const ids = new Set<string>();
		const missing: MissingFromApp[] = [];
		for (const mark of marked) {
			const found = findOutputNodes(this.file, graphIds, mark).filter((id) => id === mark || outputIds.has(id));
			for (const id of found) ids.add(id);
			const node = this.file.nodes.get(mark);
			if (found.length === 0) missing.push({ is: 'output', label: node?.title ?? mark, why: node === undefined ? 'gone' : 'inactive' });
		}
		return { ids: [...ids], missing };
	}
}

/** The editor also adds the title of the node to a label that several inputs have, and its id if this is not enough. */
function makeLabelsUnique(inputs: TitledInput[]): AppInput[] {
	const labels = inputs.map(({ label }) => label);
	const withTitles = inputs.map(({ label, title }) => `${label}\n${title}`);
	const isRepeated = (all: string[], one: string | undefined): boolean => all.filter((other) => other === one).length > 1;
	return inputs.map(({ title, ...input }, index) => {
		const { label } = input;
		if (isRepeated(withTitles, withTitles[index])) return { ...input, label: `${label} (${title} #${input.input.nodeId})` };
		return isRepeated(labels, label) ? { ...input, label: `${label} (${title})` } : input;
	});
}
