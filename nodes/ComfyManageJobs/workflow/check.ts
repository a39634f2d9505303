import type { IDataObject, INodeProperties } from 'n8n-workflow';

import {
	type CheckedServer,
	type CheckFault,
	checkWorkflow,
	type Connection,
	type ConversionPlace,
	getOrLoad,
	listClassesToCheck,
	type WorkflowCheck,
} from '../../../client';
import { concurrency, interfaceOption, options, showForResource } from '../../shared/descriptions/common';
import { checkNoteLines, checkSummary, classAdvice, classCause, faultLines, fileAdvice, modelAdvice } from '../../shared/messages/check';
import type { ItemContext, ItemResult } from '../../shared/operation';
import type { ReadParameter } from '../../shared/parameters';
import { askServer } from '../../shared/workflows/converted';
import { workflowFieldsWhere } from '../../shared/workflows/description';
import { findWorkflow } from '../../shared/workflows/load';
import { readWorkflowSource, type WorkflowSource } from '../../shared/workflows/source';

interface CheckSettings {
	source: WorkflowSource;
}

const show = showForResource('workflow', 'check');

export const description: INodeProperties[] = [...workflowFieldsWhere(show.show), options(show, [concurrency, interfaceOption])];

export const settings = (read: ReadParameter): CheckSettings => ({ source: readWorkflowSource(read) });

const nodesOf = (nodes: ConversionPlace[]): IDataObject[] =>
	nodes.map(({ nodeId, title, className, input }) => ({
		node_id: nodeId,
		title,
		class_name: className,
		...(input !== undefined && { input }),
	}));

const MOST_LINES = 200;

const linesOf = (faults: CheckFault[]): string[] => faults.slice(0, MOST_LINES).flatMap(faultLines);

function itemOf(found: WorkflowCheck, isOwnServer: boolean): IDataObject {
	const { missingClasses, missingModels, missingFiles, otherFaults } = found;
	const canRun = [missingClasses, missingModels, missingFiles, otherFaults].every(({ length }) => length === 0);
	return {
		can_run: canRun,
		summary: checkSummary(found),
		missing_classes: missingClasses.map((one) => ({
			class_name: one.className,
			pack: one.pack ?? null,
			pack_is_guess: one.pack !== undefined && one.isGuess,
			cause: classCause(one),
			advice: classAdvice(one, isOwnServer),
			nodes: nodesOf(one.nodes),
		})),
		missing_models: missingModels.map((one) => ({
			name: one.name,
			folder: one.folder ?? null,
			url: one.url ?? null,
			similar: one.near,
			advice: modelAdvice(one),
			nodes: nodesOf(one.nodes),
		})),
		missing_files: missingFiles.map((one) => ({
			name: one.name,
			folder: one.folder ?? null,
			similar: one.near,
			advice: fileAdvice(one),
			nodes: nodesOf(one.nodes),
		})),
		other_faults: linesOf(otherFaults),
		notes: found.notes.slice(0, MOST_LINES).flatMap(checkNoteLines),
	};
}

/** Of this run of the node: what was just installed is seen, and a batch of one workflow asks once. */
const ofRun = new WeakMap<Connection, Map<string, Promise<CheckedServer>>>();

async function serverOf(context: ItemContext<CheckSettings>, classes: string[]): Promise<CheckedServer> {
	const known = ofRun.get(context.connection) ?? new Map<string, Promise<CheckedServer>>();
	ofRun.set(context.connection, known);
	return await getOrLoad(known, JSON.stringify(classes), async () => await askServer(context, classes));
}

/** Whether the server can run it; nothing is submitted. */
export async function execute(context: ItemContext<CheckSettings>): Promise<ItemResult> {
	const { workflow, title, editor } = await findWorkflow(context, context.settings.source);
	const content = workflow.format === 'api' ? workflow.graph : workflow.file;
	const server = await serverOf(context, listClassesToCheck(content));
	const found = checkWorkflow(content, server, editor);
	return { json: { ...(title !== undefined && { workflow_name: title }), ...itemOf(found, context.credential.isOwnServer === true) } };
}
