import type { ApiGraph, ApiGraphNode } from '../../job';
import { parseExactNumber } from '../../json/exactJson';
import { toDouble, isExactNumber } from '../../json/numbers';
import { nearMatches } from '../../text';
import { isRecord } from '../../decode';
import type { ConversionPlace } from '../../graphFaults';
import { type Definitions, nodesBehind } from '../form';
import { definitionOf, type InputDefinition, inputDefinition, isOffered } from '../form/definition';
import { fileKindOf, isAssetReference } from '../form/files';
import { contentOf, linkOf, titleOf } from '../form/literals';
import { isModelName, modelFolder } from './folders';
import type { SavedModel } from './savedModels';
import type { MissingNamed, WorkflowCheck } from './types';

type Found = Omit<WorkflowCheck, 'missingClasses'>;

/** Comparing is slow; nobody reads more. */
const MOST_COMPARISONS = 20;
const MOST_COMPARED = 2_000;
const LONGEST_COMPARED = 100;
const LONGEST_NAME = 1_000;

/** Of newer nodes: they stand for other inputs, or take their type from what is linked to them. */
const STANDS_FOR_OTHERS = /^COMFY_/;

/** A folder in front, or the kind of folder behind: these are not in the list that the server gives. */
const ELSEWHERE = /[/\\]| \[(output|temp)\]$/;

/** What an engine looks at: the nodes that outputs depend on. Where a class is unknown, it may be an output. */
const validatedNodes = (graph: ApiGraph, definitions: Definitions): Set<string> =>
	nodesBehind(
		graph,
		Object.entries(graph).flatMap(([id, { class_type: name }]) =>
			(definitionOf(definitions, name) ?? { output_node: true }).output_node === true ? [id] : [],
		),
	);

/** Endings are alike everywhere. */
const bare = (name: string): string => name.slice(0, LONGEST_COMPARED).replace(/\.\w{1,12}$/, '');

function near(value: string, choices: unknown[]): string[] {
	const offered = choices
		.filter((choice): choice is string => typeof choice === 'string' && choice.length <= LONGEST_COMPARED)
		.slice(0, MOST_COMPARED);
	const found = nearMatches(bare(value), [...new Set(offered.map(bare))]);
	return found.flatMap((name) => offered.filter((choice) => bare(choice) === name));
}

/** What stands in one input of one node. */
interface Entry {
	node: ApiGraphNode;
	place: ConversionPlace & { input: string };
	value: unknown;
	definition: InputDefinition;
}

class InputChecker {
	readonly found: Found = { missingModels: [], missingFiles: [], otherFaults: [], notes: [] };
	private readonly named = new Map<string, MissingNamed>();
	private comparisons = 0;

	constructor(
		private readonly graph: ApiGraph,
		private readonly definitions: Definitions,
		private readonly models: Map<string, SavedModel>,
		private readonly listsFiles: boolean,
	) {}

	check(nodeId: string): void {
		const node = this.graph[nodeId] as ApiGraphNode;
		if (definitionOf(this.definitions, node.class_type) === undefined) return;
		const placeOf = (input: string) => ({ nodeId, title: titleOf(node), className: node.class_type, input });
		for (const [input, value] of Object.entries(node.inputs)) {
			const link = linkOf(value);
			if (link !== undefined) {
				if (!Object.hasOwn(this.graph, link.nodeId))
					this.found.otherFaults.push({ fault: 'dangling_link', ...placeOf(input), from: link.nodeId });
				continue;
			}
			const definition = inputDefinition(this.definitions, node, input);
			if (definition !== undefined) this.value({ node, place: placeOf(input), value: contentOf(value), definition });
		}
		for (const input of this.lacking(node)) this.found.otherFaults.push({ fault: 'missing_input', ...placeOf(input) });
	}

	private lacking(node: ApiGraphNode): string[] {
		const { input } = this.definitions[node.class_type] ?? {};
		const required = isRecord(input) && isRecord(input.required) ? Object.keys(input.required) : [];
		return required.filter((name) => !Object.hasOwn(node.inputs, name) && !STANDS_FOR_OTHERS.test(this.typeOf(input, name)));
	}

	private typeOf(input: unknown, name: string): string {
		const entry: unknown = isRecord(input) && isRecord(input.required) ? input.required[name] : undefined;
		return Array.isArray(entry) && typeof entry[0] === 'string' ? entry[0] : '';
	}

	private value(entry: Entry): void {
		const { type } = entry.definition;
		if (type === 'COMBO') this.choice(entry);
		else if (type === 'INT' || type === 'FLOAT') this.amount(entry);
	}

	private choice(entry: Entry): void {
		const {
			value,
			definition: { choices, settings },
		} = entry;
		// Its choices come from elsewhere, when the editor asks for them.
		if (isRecord(settings.remote)) return;
		for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) if (!isOffered(choices, one)) this.notOffered(entry, one);
	}

	private notOffered({ node, place, definition }: Entry, value: unknown): void {
		if (isAssetReference(value)) return;
		const name = typeof value === 'string' && value.length <= LONGEST_NAME ? value : undefined;
		const alike = name === undefined || this.comparisons++ >= MOST_COMPARISONS ? [] : near(name, definition.choices);
		if (name === undefined || name === '') this.found.otherFaults.push({ fault: 'not_offered', ...place, value, near: alike });
		else if (fileKindOf(node, place.input, name, definition) !== undefined) this.file(name, alike, place, definition);
		else if (this.isModel(name, place)) this.name('missingModels', this.model(name, alike, place), place);
		// A list that the server leaves empty is filled by the editor, with what only it knows.
		else if (definition.choices.length > 0) this.found.otherFaults.push({ fault: 'not_offered', ...place, value, near: alike });
	}

	private file(name: string, alike: string[], place: Entry['place'], { choices }: InputDefinition): void {
		if (ELSEWHERE.test(name) || (choices.length === 0 && !this.listsFiles)) this.found.notes.push({ note: 'file_unseen', ...place, name });
		else this.name('missingFiles', { name, folder: 'input', near: alike }, place);
	}

	/** Once, however many nodes name it. */
	private name(kind: 'missingModels' | 'missingFiles', one: Omit<MissingNamed, 'nodes'>, place: Entry['place']): void {
		const key = JSON.stringify([kind, one.folder ?? null, one.name]);
		const known = this.named.get(key) ?? { ...one, nodes: [] };
		if (known.nodes.length === 0) this.found[kind].push(known);
		known.nodes.push(place);
		this.named.set(key, known);
	}

	private saved(name: string): SavedModel | undefined {
		return this.models.get(name) ?? this.models.get(name.replace(/^.*[/\\]/, ''));
	}

	private isModel(name: string, { className, input }: Entry['place']): boolean {
		return isModelName(name) || this.saved(name) !== undefined || modelFolder(className, input) !== undefined;
	}

	private model(name: string, alike: string[], place: Entry['place']): Omit<MissingNamed, 'nodes'> {
		const { url, directory } = this.saved(name) ?? {};
		const folder = directory === undefined ? modelFolder(place.className, place.input) : `models/${directory}`;
		return { name, ...(folder !== undefined && { folder }), ...(url !== undefined && { url }), near: alike };
	}

	private amount({ place, value, definition: { settings } }: Entry): void {
		const amount =
			typeof value === 'number' || isExactNumber(value)
				? value
				: typeof value === 'string'
					? parseExactNumber(value.trim())
					: typeof value === 'boolean'
						? Number(value)
						: undefined;
		if (amount === undefined) {
			this.found.otherFaults.push({ fault: 'no_number', ...place, value });
			return;
		}
		const bound = (limit: unknown): number | undefined => (typeof limit === 'number' || isExactNumber(limit) ? toDouble(limit) : undefined);
		const [min, max] = [bound(settings.min), bound(settings.max)];
		if (toDouble(amount) >= (min ?? -Infinity) && toDouble(amount) <= (max ?? Infinity)) return;
		this.found.otherFaults.push({
			fault: 'out_of_range',
			...place,
			value,
			...(min !== undefined && { min: String(settings.min) }),
			...(max !== undefined && { max: String(settings.max) }),
		});
	}
}

/**
 * What of a graph's inputs a server would refuse; of nodes whose class it lacks nothing is said.
 * @param listsFiles the server's definitions list all files of its folder for inputs.
 */
export function checkInputs(graph: ApiGraph, definitions: Definitions, models: Map<string, SavedModel>, listsFiles: boolean): Found {
	const checker = new InputChecker(graph, definitions, models, listsFiles);
	const validated = validatedNodes(graph, definitions);
	for (const nodeId of Object.keys(graph)) if (validated.has(nodeId)) checker.check(nodeId);
	if (validated.size === 0) checker.found.otherFaults.push({ fault: 'no_outputs' });
	return checker.found;
}
