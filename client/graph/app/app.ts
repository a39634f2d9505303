import type { ApiGraph } from '../../job';
import { withUniqueIds } from '../convert/expand/levels';
import type { EditorFile } from '../convert/model';
import { readEditorFile } from '../convert/read';
import { type Definitions, type GraphInput, inputsOf, outputNodesOf } from '../form';
import { inputDefinition } from '../form/definition';
import { isOrnament } from '../form/literals';
import { markedIn, type MarkedInput } from './marked';
import { findWidget, type FoundWidget, outputNodes, type Place } from './places';
import type { App, AppInput, MissingFromApp } from './types';

const LONGEST_LABEL = 120;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_LABEL);

type Found = Omit<AppInput, 'label'> & { label: string; title: string };

class Reading {
	private readonly inputs: Map<string, GraphInput>;

	constructor(
		private readonly file: EditorFile,
		private readonly graph: ApiGraph,
		private readonly definitions: Definitions,
	) {
		this.inputs = new Map(inputsOf(graph, definitions).map((input) => [input.name, input]));
	}

	private whyNot({ nodeId, input }: Place): MissingFromApp['why'] {
		const node = Object.hasOwn(this.graph, nodeId) ? this.graph[nodeId] : undefined;
		if (node === undefined) return 'inactive';
		if (!Object.hasOwn(node.inputs, input)) return isOrnament(input) ? 'not_sent' : 'gone';
		return Array.isArray(node.inputs[input]) ? 'linked' : 'not_sent';
	}

	private wordFor({ places: [first] }: FoundWidget, widget: string): string {
		const node = first && Object.hasOwn(this.graph, first.nodeId) ? this.graph[first.nodeId] : undefined;
		const shown = node && first && inputDefinition(this.definitions, node, first.input)?.settings.display_name;
		return typeof shown === 'string' && shown.trim() !== '' ? shown : (widget.split('.').at(-1) as string);
	}

	find(marked: MarkedInput): Found | MissingFromApp {
		const widget = findWidget(this.file, marked);
		if (widget === undefined) return { is: 'input', label: marked.widget, why: 'gone' };
		const label = oneLine(widget.label ?? this.wordFor(widget, marked.widget));
		const [input, ...also] = widget.places.flatMap((place) => this.inputs.get(`${place.nodeId}.${place.input}`) ?? []);
		if (input === undefined) return { is: 'input', label, why: widget.places[0] === undefined ? 'gone' : this.whyNot(widget.places[0]) };
		const { description } = marked;
		const title = oneLine(widget.node.title ?? this.file.subgraphs.get(widget.node.className)?.name ?? widget.node.className);
		return { id: input.name, label, title, ...(description !== undefined && { description: oneLine(description) }), input, also };
	}

	outputs(marked: string[]): { ids: string[]; missing: MissingFromApp[] } {
		const ids = Object.keys(this.graph);
		const saving = new Set(outputNodesOf(this.graph, this.definitions).map(({ nodeId }) => nodeId));
		const found = marked.map((id) => outputNodes(this.file, ids, id).filter((node) => node === id || saving.has(node)));
		const missing = marked.filter((_, index) => found[index]?.length === 0);
		return {
			ids: [...new Set(found.flat())],
			missing: missing.map((id) => ({
				is: 'output',
				label: this.file.nodes.get(id)?.title ?? id,
				why: this.file.nodes.has(id) ? 'inactive' : 'gone',
			})),
		};
	}
}

/** The words that several have are told apart as the editor does it: by the node that shows the input. */
function toldApart(found: Found[]): AppInput[] {
	const seen = (of: (one: Found) => string): ((one: Found) => boolean) => {
		const counts = new Map<string, number>();
		for (const one of found) counts.set(of(one), (counts.get(of(one)) ?? 0) + 1);
		return (one) => (counts.get(of(one)) ?? 0) > 1;
	};
	const isTwice = seen(({ label }) => label);
	const isTwiceInNodes = seen(({ label, title }) => `${label}\n${title}`);
	return found.map(({ title, ...one }) => {
		const whole = { ...one, title };
		return {
			...one,
			label: isTwiceInNodes(whole)
				? `${one.label} (${title} #${one.input.nodeId})`
				: isTwice(whole)
					? `${one.label} (${title})`
					: one.label,
		};
	});
}

const isFound = (one: Found | MissingFromApp): one is Found => 'input' in one;

/**
 * The form that a workflow's author designed in App Mode, for the graph that the workflow was converted to.
 * @returns undefined where nothing is marked: the workflow is no app.
 */
export function appOf(workflow: unknown, graph: ApiGraph, definitions: Definitions): App | undefined {
	const marked = markedIn(workflow);
	if (marked === undefined) return undefined;
	const reading = new Reading(withUniqueIds(readEditorFile(workflow)), graph, definitions);
	const all = marked.inputs.map((one) => reading.find(one));
	const found = all.filter(isFound);
	const outputs = reading.outputs(marked.outputs);
	const once = found.filter(({ id }, index) => found.findIndex((other) => other.id === id) === index);
	return {
		inputs: toldApart(once),
		outputs: outputs.ids,
		missing: [...all.filter((one): one is MissingFromApp => !isFound(one)), ...outputs.missing],
	};
}
