import { GraphError } from '../../errors';
import type { ApiGraph } from '../../job';
import { classesIn, type Conversion, convertWorkflow } from '../convert';
import type { ConversionRefusal } from '../../graphFaults';
import type { Definitions } from '../form';
import { definitionOf } from '../form/definition';
import { titleOf } from '../form/literals';
import { isUiFormat, parseGraph } from '../parseGraph';
import { checkInputs } from './checkInputs';
import { missingClassesOf, type UnknownClass } from './packs';
import { savedModels } from './savedModels';
import type { WorkflowCheck } from './types';

const isUnknownClass = (refusal: ConversionRefusal): refusal is Extract<ConversionRefusal, { refusal: 'unknown_class' }> =>
	refusal.refusal === 'unknown_class';

/** The classes whose definitions a check needs. @throws GraphError for what is no workflow. */
export const classesToCheck = (workflow: unknown): string[] =>
	isUiFormat(workflow) ? classesIn(workflow) : [...new Set(Object.values(parseGraph(workflow)).map(({ class_type: name }) => name))];

function unknownIn(graph: ApiGraph, definitions: Definitions): UnknownClass[] {
	return Object.entries(graph).flatMap(([nodeId, node]) =>
		definitionOf(definitions, node.class_type) !== undefined ? [] : [{ nodeId, title: titleOf(node), className: node.class_type }],
	);
}

type Converted = { conversion: Conversion } | { refusals: ConversionRefusal[] };

function converted(workflow: unknown, definitions: Definitions): Converted {
	try {
		return { conversion: convertWorkflow(workflow, definitions) };
	} catch (error) {
		if (error instanceof GraphError && error.facts.fault === 'not_convertible') return { refusals: error.facts.refusals };
		return { refusals: [{ refusal: 'broken_file', detail: error instanceof Error ? error.message : String(error) }] };
	}
}

/** Takes nothing and gives nothing: in place of a class that is missing, so that the rest can be looked at. */
const PLACEHOLDER = { input: {}, output: [], output_name: [] };

const withPlaceholders = (definitions: Definitions, classes: string[]): Definitions => ({
	...Object.fromEntries(classes.map((name) => [name, PLACEHOLDER])),
	...definitions,
});

function checkEditorFile(workflow: unknown, { definitions, listsFiles }: CheckedServer): WorkflowCheck {
	const first = converted(workflow, definitions);
	const refusals = 'refusals' in first ? first.refusals : [];
	const missingClasses = missingClassesOf(refusals.filter(isUnknownClass));
	const others = refusals.filter((refusal) => !isUnknownClass(refusal));
	const none: WorkflowCheck = { missingClasses, missingModels: [], missingFiles: [], otherFaults: [], notes: [] };
	const second =
		missingClasses.length === 0
			? first
			: converted(
					workflow,
					withPlaceholders(
						definitions,
						missingClasses.map(({ className }) => className),
					),
				);
	if (!('conversion' in second))
		return { ...none, otherFaults: [{ fault: 'refused', refusals: others.length > 0 ? others : second.refusals }] };
	const { graph, notes } = second.conversion;
	const found = checkInputs(graph, definitions, savedModels(workflow), listsFiles);
	return { ...none, ...found, notes: [...(notes.length > 0 ? [{ note: 'conversion' as const, notes }] : []), ...found.notes] };
}

/** What a server tells of itself. */
export interface CheckedServer {
	/** All that it has of `classesToCheck`. */
	definitions: Definitions;
	/** They list every file of its folder for inputs, as engines do. */
	listsFiles: boolean;
}

/**
 * Whether a server can run a workflow of either format; nothing is sent anywhere.
 * @param editor the editor's file of the same workflow, if there is one beside a graph: it may tell where models are to be had.
 * @throws GraphError for what is no workflow.
 */
export function checkWorkflow(workflow: unknown, server: CheckedServer, editor?: unknown): WorkflowCheck {
	if (isUiFormat(workflow)) return checkEditorFile(workflow, server);
	const graph = parseGraph(workflow);
	const { definitions, listsFiles } = server;
	return {
		missingClasses: missingClassesOf(unknownIn(graph, definitions)),
		...checkInputs(graph, definitions, savedModels(editor), listsFiles),
	};
}
