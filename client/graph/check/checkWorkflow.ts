import { GraphError } from '../../errors/errors';
import type { ConversionRefusal } from '../../errors/graphFaults';
import type { ApiGraph } from '../../ports/job';
import type { NodeReplacements } from '../../ports/serverControl';
import { convertWorkflow, listClasses } from '../convert/convertWorkflow';
import type { Conversion, ConversionNote } from '../convert/report';
import { type Definitions, findDefinition, listClassNames } from '../inputs/definitions';
import { getTitle } from '../inputs/graphNodes';
import { isEditorFormat, parseGraph } from '../parseGraph';
import { findRegistered, replaceInGraph } from '../replace/replaceInGraph';
import { type CheckedInputFault, checkInputs, type MissingFile, type UnseenFileNote } from './checkInputs';
import { groupMissingClasses, type MissingClass, type NodeOfMissingClass } from './missingClasses';
import { listSavedModels } from './modelFiles';

export type CheckFault =
	| CheckedInputFault
	/** The workflow cannot be converted, for another reason than a missing class. */
	| { fault: 'refused'; refusals: ConversionRefusal[] };

export type CheckNote = { note: 'conversion'; notes: ConversionNote[] } | UnseenFileNote;

/** Whether a server can run a workflow, as far as its definitions say. */
export interface WorkflowCheck {
	missingClasses: MissingClass[];
	missingModels: MissingFile[];
	missingFiles: MissingFile[];
	otherFaults: CheckFault[];
	notes: CheckNote[];
}

/** What a server says about itself. */
export interface CheckedServer {
	/** Those of `listClassesToCheck` that the server has. */
	definitions: Definitions;
	/** Of the classes that it does not have. `definitions` has the new classes. */
	replacements?: NodeReplacements;
	/** Whether the definitions list every file of the input folder, as those of engines do. */
	listsFiles: boolean;
}

/** @returns the classes whose definitions a check needs. @throws GraphError for a value that is not a workflow. */
export const listClassesToCheck = (workflow: unknown): string[] =>
	isEditorFormat(workflow) ? listClasses(workflow) : listClassNames(parseGraph(workflow));

/**
 * Checks whether a server can run a workflow of either format. It sends nothing.
 * @param editor the same workflow in the editor format, if it is known in addition to a graph. It may say where to download models.
 * @throws GraphError for a value that is not a workflow.
 */
export function checkWorkflow(workflow: unknown, server: CheckedServer, editor?: unknown): WorkflowCheck {
	if (isEditorFormat(workflow)) return checkEditorFile(workflow, server);
	const { definitions, replacements = {}, listsFiles } = server;
	const { graph, notes } = replaceInGraph(parseGraph(workflow), definitions, replacements);
	const missingClasses = groupMissingClasses(findNodesOfMissingClasses(graph, server));
	return withConversionNotes(notes, { missingClasses, ...checkInputs(graph, definitions, listSavedModels(editor), listsFiles) });
}

const withConversionNotes = (notes: ConversionNote[], check: WorkflowCheck): WorkflowCheck =>
	notes.length === 0 ? check : { ...check, notes: [{ note: 'conversion', notes }, ...check.notes] };

function findNodesOfMissingClasses(graph: ApiGraph, { definitions, replacements = {} }: CheckedServer): NodeOfMissingClass[] {
	return Object.entries(graph)
		.filter(([, node]) => findDefinition(definitions, node.class_type) === undefined)
		.map(([nodeId, node]) => ({
			nodeId,
			title: getTitle(node),
			className: node.class_type,
			replacedBy: findRegistered(node.class_type, replacements)?.newClass,
		}));
}

/** Without the missing classes, a conversion fails. Placeholders take their place, so that the other nodes can be checked. */
function checkEditorFile(workflow: unknown, server: CheckedServer): WorkflowCheck {
	const { definitions, listsFiles } = server;
	const first = tryToConvert(workflow, server);
	const refusals = first.isConverted ? [] : first.refusals;
	const missingClasses = groupMissingClasses(refusals.filter(isUnknownClass));
	const otherRefusals = refusals.filter((refusal) => !isUnknownClass(refusal));
	const conversion =
		missingClasses.length === 0 ? first : tryToConvert(workflow, { ...server, definitions: addPlaceholders(definitions, missingClasses) });
	if (!conversion.isConverted) {
		const fault: CheckFault = { fault: 'refused', refusals: otherRefusals.length > 0 ? otherRefusals : conversion.refusals };
		return { missingClasses, missingModels: [], missingFiles: [], otherFaults: [fault], notes: [] };
	}
	const { graph, notes } = conversion;
	const findings = checkInputs(graph, definitions, listSavedModels(workflow), listsFiles);
	return withConversionNotes(notes, { missingClasses, ...findings });
}

const isUnknownClass = (refusal: ConversionRefusal): refusal is Extract<ConversionRefusal, { refusal: 'unknown_class' }> =>
	refusal.refusal === 'unknown_class';

type ConversionAttempt = ({ isConverted: true } & Conversion) | { isConverted: false; refusals: ConversionRefusal[] };

function tryToConvert(workflow: unknown, { definitions, replacements }: CheckedServer): ConversionAttempt {
	try {
		return { isConverted: true, ...convertWorkflow(workflow, definitions, { replacements }) };
	} catch (error) {
		if (error instanceof GraphError && error.facts.fault === 'not_convertible')
			return { isConverted: false, refusals: error.facts.refusals };
		const detail = error instanceof Error ? error.message : String(error);
		return { isConverted: false, refusals: [{ refusal: 'broken_file', detail }] };
	}
}

/** Placeholders have no inputs and no outputs. */
const addPlaceholders = (definitions: Definitions, missing: MissingClass[]): Definitions => ({
	...Object.fromEntries(missing.map(({ className }) => [className, { input: {}, output: [], output_name: [] }])),
	...definitions,
});
