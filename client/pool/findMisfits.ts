/** What a workflow needs from a server. Pure. */
import type { MissingOnServer } from '../errors/errors';
import { isModelName } from '../graph/check/modelFiles';
import {
	type Definitions,
	findDefinition,
	findInputDefinition,
	type InputDefinition,
	isOffered,
	listClassNames,
} from '../graph/inputs/definitions';
import type { ApiGraph } from '../ports/job';

/** Returns the names of the model files in the inputs of a graph. */
export function listModels(graph: ApiGraph): string[] {
	const models = new Set<string>();
	for (const { inputs } of Object.values(graph)) {
		for (const value of Object.values(inputs)) {
			if (typeof value === 'string' && isModelName(value)) models.add(value);
		}
	}
	return [...models];
}

/** Whether a node of the graph runs in a partner's cloud and costs money. ComfyUI marks the definitions of such nodes. */
export const hasPartnerNodes = (graph: ApiGraph, definitions: Definitions): boolean =>
	listClassNames(graph).some((name) => {
		const { api_node: isApiNode, category } = findDefinition(definitions, name) ?? {};
		return isApiNode === true || (typeof category === 'string' && category.startsWith('api node'));
	});

/** A server with its definitions of the classes of a graph. */
export interface DefinedServer {
	address: string;
	definitions: Definitions;
}

export interface MisfitOptions {
	/**
	 * The definitions of all servers are known. If not, a server that does not respond may have what the others lack, so each
	 * missing class and model counts.
	 */
	isComplete: boolean;
	/** Files are uploaded to the chosen server later. So the inputs that take an uploaded file do not count. */
	hasFilesToPlace: boolean;
}

/**
 * Finds what each server lacks of a graph and another server has: a node class, or a value of a list such as a model or an
 * image. What no server has is the fault of the workflow, and ComfyUI reports it better.
 * @returns the missing parts by address. A server without an entry can run the graph.
 */
export function findMisfits(
	graph: ApiGraph,
	servers: readonly DefinedServer[],
	{ isComplete, hasFilesToPlace }: MisfitOptions,
): Map<string, MissingOnServer[]> {
	const needs = listNeeds(graph, hasFilesToPlace);
	const misfits = new Map<string, MissingOnServer[]>();
	for (const need of needs) {
		const lacking = servers.filter(({ definitions }) => !need.isMet(definitions));
		const countsAlone = !isComplete && need.isClassOrModel;
		if (lacking.length === servers.length && !countsAlone) continue;
		for (const { address } of lacking) misfits.set(address, [...(misfits.get(address) ?? []), { server: address, ...need.what }]);
	}
	return misfits;
}

interface Need {
	what: { classType: string } | { classType: string; input: string; value: string };
	isClassOrModel: boolean;
	isMet(definitions: Definitions): boolean;
}

function listNeeds(graph: ApiGraph, hasFilesToPlace: boolean): Need[] {
	const classes = listClassNames(graph).map((classType): Need => ({
		what: { classType },
		isClassOrModel: true,
		isMet: (definitions) => findDefinition(definitions, classType) !== undefined,
	}));
	const values = Object.values(graph).flatMap((node) =>
		Object.entries(node.inputs).flatMap(([input, value]): Need[] => {
			if (typeof value !== 'string') return [];
			const isMet = (definitions: Definitions): boolean => {
				const definition = findInputDefinition(definitions, node, input);
				if (definition?.type !== 'COMBO' || (hasFilesToPlace && takesUpload(definition))) return true;
				return isOffered(definition.choices, value);
			};
			return [{ what: { classType: node.class_type, input, value }, isClassOrModel: isModelName(value), isMet }];
		}),
	);
	return [...classes, ...values];
}

/** ComfyUI marks such inputs with `image_upload: true`, and with the same word for other kinds of files. */
const takesUpload = ({ settings }: InputDefinition): boolean =>
	Object.entries(settings).some(([name, value]) => name.endsWith('_upload') && value === true);
