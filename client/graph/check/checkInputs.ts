import { isRecord } from '../../json/decode';
import type { ConversionPlace, UnresolvedPlaceholder } from '../../errors/graphFaults';
import type { ApiGraph, ApiGraphNode } from '../../ports/job';
import { parseExactNumber } from '../../json/exactJson';
import { type ExactNumber, isExactNumber, toDouble } from '../../json/numbers';
import { nearMatches } from '../../text/text';
import { type Definitions, findDefinition, findInputDefinition, findOffered, type InputDefinition } from '../inputs/definitions';
import { findFileKind, isAssetReference } from '../inputs/files';
import { findUpstreamNodes, getTitle, parseLink, unwrapValue } from '../inputs/graphNodes';
import { listRandomSeeds } from '../inputs/listInputs';
import { findModelFolder, isModelName, type SavedModel } from './modelFiles';
import { findPlaceholders } from './placeholders';

/** A file that an input names and the server does not offer. */
export interface MissingFile {
	name: string;
	/** Below ComfyUI's own folder; undefined if it is unknown. */
	folder?: string;
	/** Where to download it, as the author of the workflow says. */
	url?: string;
	/** Files with a similar name that the server offers. */
	near: string[];
	nodes: ConversionPlace[];
}

/** What the server would reject in one input, or in the whole graph. */
export type CheckedInputFault =
	| (ConversionPlace & { fault: 'not_offered'; value: unknown; near: string[] })
	| (ConversionPlace & { fault: 'out_of_range'; value: unknown; min?: string; max?: string })
	| (ConversionPlace & { fault: 'no_number'; value: unknown })
	| (ConversionPlace & { fault: 'missing_input' })
	| (ConversionPlace & { fault: 'dangling_link'; from: string })
	| (UnresolvedPlaceholder & { fault: 'placeholder' })
	| { fault: 'no_outputs' };

/** The server lists only the files of its input folder, and this file is in another folder. */
export type UnseenFileNote = ConversionPlace & { note: 'file_unseen'; name: string };

export interface InputFindings {
	missingModels: MissingFile[];
	missingFiles: MissingFile[];
	otherFaults: CheckedInputFault[];
	notes: UnseenFileNote[];
}

/** Comparing names is slow, and a message shows only a few. */
const MOST_COMPARISONS = 20;
const MOST_COMPARED = 2_000;
const LONGEST_COMPARED = 100;
const LONGEST_NAME = 1_000;

/** Inputs of newer classes that stand for other inputs, or have the type of what is linked to them. */
const SPECIAL_TYPE = /^COMFY_/;

/** A name with a folder, or with the kind of folder at its end. The server does not list these files. */
const IN_OTHER_FOLDER = /[/\\]| \[(output|temp)\]$/;

/** ComfyUI validates the nodes that its outputs depend on. A node of an unknown class may be an output. */
function listValidatedNodes(graph: ApiGraph, definitions: Definitions): Set<string> {
	const isOutput = ({ class_type: className }: ApiGraphNode): boolean => {
		const definition = findDefinition(definitions, className);
		return definition === undefined || definition.output_node === true;
	};
	const outputs = Object.entries(graph).filter(([, node]) => isOutput(node));
	return findUpstreamNodes(
		graph,
		outputs.map(([id]) => id),
	);
}

const withoutExtension = (name: string): string => name.slice(0, LONGEST_COMPARED).replace(/\.\w{1,12}$/, '');

/** Names are compared without their extensions, which are similar everywhere. */
function findNear(value: string, choices: unknown[]): string[] {
	const offered = choices
		.filter((choice): choice is string => typeof choice === 'string' && choice.length <= LONGEST_COMPARED)
		.slice(0, MOST_COMPARED);
	const near = nearMatches(withoutExtension(value), [...new Set(offered.map(withoutExtension))]);
	return near.flatMap((name) => offered.filter((choice) => withoutExtension(choice) === name));
}

/** Converts a value as ComfyUI does. @returns undefined if it is not a number. */
function toAmount(value: unknown): number | ExactNumber | undefined {
	if (typeof value === 'number' || isExactNumber(value)) return value;
	if (typeof value === 'string') return parseExactNumber(value.trim());
	return typeof value === 'boolean' ? Number(value) : undefined;
}

type InputPlace = ConversionPlace & { input: string };

/** A value that a node holds itself. */
interface CheckedValue {
	node: ApiGraphNode;
	place: InputPlace;
	value: unknown;
	definition: InputDefinition;
}

class InputChecker {
	readonly findings: InputFindings = { missingModels: [], missingFiles: [], otherFaults: [], notes: [] };
	private readonly missing = new Map<string, MissingFile>();
	private comparisons = 0;
	/** The names of inputs whose values are not what the server receives. */
	private readonly notSent: Set<string>;

	constructor(
		private readonly graph: ApiGraph,
		private readonly definitions: Definitions,
		private readonly models: Map<string, SavedModel>,
		private readonly listsFiles: boolean,
	) {
		this.notSent = new Set(listRandomSeeds(graph, definitions).map(({ name }) => name));
		for (const place of findPlaceholders(graph)) {
			this.notSent.add(`${place.nodeId}.${place.input}`);
			this.report({ fault: 'placeholder', ...place });
		}
	}

	checkNode(nodeId: string): void {
		const node = this.graph[nodeId] as ApiGraphNode;
		if (findDefinition(this.definitions, node.class_type) === undefined) return;
		const toPlace = (input: string): InputPlace => ({ nodeId, title: getTitle(node), className: node.class_type, input });
		for (const [input, value] of Object.entries(node.inputs)) {
			const link = parseLink(value);
			if (link !== undefined) {
				if (!Object.hasOwn(this.graph, link.nodeId)) this.report({ fault: 'dangling_link', ...toPlace(input), from: link.nodeId });
				continue;
			}
			const definition = findInputDefinition(this.definitions, node, input);
			if (definition !== undefined && !this.notSent.has(`${nodeId}.${input}`))
				this.checkValue({ node, place: toPlace(input), value: unwrapValue(value), definition });
		}
		for (const input of this.listMissingInputs(node)) this.report({ fault: 'missing_input', ...toPlace(input) });
	}

	private report(fault: CheckedInputFault): void {
		this.findings.otherFaults.push(fault);
	}

	private listMissingInputs(node: ApiGraphNode): string[] {
		const inputs = this.definitions[node.class_type]?.input;
		const required = isRecord(inputs) && isRecord(inputs.required) ? Object.entries(inputs.required) : [];
		const hasSpecialType = (entry: unknown): boolean => Array.isArray(entry) && typeof entry[0] === 'string' && SPECIAL_TYPE.test(entry[0]);
		return required.flatMap(([name, entry]) => (Object.hasOwn(node.inputs, name) || hasSpecialType(entry) ? [] : [name]));
	}

	private checkValue(checked: CheckedValue): void {
		const { type } = checked.definition;
		if (type === 'COMBO') this.checkChoice(checked);
		else if (type === 'INT' || type === 'FLOAT') this.checkAmount(checked);
	}

	private checkChoice(checked: CheckedValue): void {
		const { choices, settings } = checked.definition;
		// The editor asks for these choices at another address.
		if (isRecord(settings.remote)) return;
		const values = Array.isArray(checked.value) ? (checked.value as unknown[]) : [checked.value];
		for (const value of values) if (findOffered(choices, value) === undefined) this.reportNotOffered(checked, value);
	}

	private reportNotOffered({ node, place, definition }: CheckedValue, value: unknown): void {
		if (isAssetReference(value)) return;
		const name = typeof value === 'string' && value.length <= LONGEST_NAME ? value : undefined;
		const near = name === undefined || this.comparisons++ >= MOST_COMPARISONS ? [] : findNear(name, definition.choices);
		if (name === undefined || name === '') this.report({ fault: 'not_offered', ...place, value, near });
		else if (findFileKind(node, place.input, name, definition) !== undefined) this.reportFile(name, near, place, definition);
		else if (this.isModel(name, place)) this.addMissing('missingModels', this.describeModel(name, near, place), place);
		// The editor fills an empty list of choices itself.
		else if (definition.choices.length > 0) this.report({ fault: 'not_offered', ...place, value, near });
	}

	private reportFile(name: string, near: string[], place: InputPlace, { choices }: InputDefinition): void {
		const isUnseen = IN_OTHER_FOLDER.test(name) || (choices.length === 0 && !this.listsFiles);
		if (isUnseen) this.findings.notes.push({ note: 'file_unseen', ...place, name });
		else this.addMissing('missingFiles', { name, folder: 'input', near }, place);
	}

	/** Adds each missing file once, with all nodes that name it. */
	private addMissing(kind: 'missingModels' | 'missingFiles', file: Omit<MissingFile, 'nodes'>, place: InputPlace): void {
		const key = JSON.stringify([kind, file.folder ?? null, file.name]);
		const missing = this.missing.get(key) ?? { ...file, nodes: [] };
		if (missing.nodes.length === 0) this.findings[kind].push(missing);
		missing.nodes.push(place);
		this.missing.set(key, missing);
	}

	private findSavedModel(name: string): SavedModel | undefined {
		return this.models.get(name) ?? this.models.get(name.replace(/^.*[/\\]/, ''));
	}

	private isModel(name: string, { className, input }: InputPlace): boolean {
		return isModelName(name) || this.findSavedModel(name) !== undefined || findModelFolder(className, input) !== undefined;
	}

	private describeModel(name: string, near: string[], place: InputPlace): Omit<MissingFile, 'nodes'> {
		const { url, directory } = this.findSavedModel(name) ?? {};
		const folder = directory === undefined ? findModelFolder(place.className, place.input) : `models/${directory}`;
		return { name, ...(folder !== undefined && { folder }), ...(url !== undefined && { url }), near };
	}

	private checkAmount({ place, value, definition: { settings } }: CheckedValue): void {
		const amount = toAmount(value);
		if (amount === undefined) return this.report({ fault: 'no_number', ...place, value });
		const toBound = (limit: unknown): number | undefined =>
			typeof limit === 'number' || isExactNumber(limit) ? toDouble(limit) : undefined;
		const [min, max] = [toBound(settings.min), toBound(settings.max)];
		if (toDouble(amount) >= (min ?? -Infinity) && toDouble(amount) <= (max ?? Infinity)) return;
		this.report({
			fault: 'out_of_range',
			...place,
			value,
			...(min !== undefined && { min: String(settings.min) }),
			...(max !== undefined && { max: String(settings.max) }),
		});
	}
}

/**
 * Finds what a server would reject in the inputs of a graph. Nodes whose class the server does not have are not checked.
 * @param listsFiles whether the server's definitions list all files of its input folder.
 */
export function checkInputs(
	graph: ApiGraph,
	definitions: Definitions,
	models: Map<string, SavedModel>,
	listsFiles: boolean,
): InputFindings {
	const checker = new InputChecker(graph, definitions, models, listsFiles);
	const validated = listValidatedNodes(graph, definitions);
	for (const nodeId of Object.keys(graph)) if (validated.has(nodeId)) checker.checkNode(nodeId);
	if (validated.size === 0) checker.findings.otherFaults.push({ fault: 'no_outputs' });
	return checker.findings;
}
