import type { IDataObject, INodeProperties } from 'n8n-workflow';

import {
	Cache,
	type CheckedServer,
	type CheckFault,
	checkWorkflow,
	listClassesToCheck,
	type Connection,
	type ConversionPlace,
	onePerKey,
	type WorkflowCheck,
} from '../../../client';
import { concurrency, interfaceOption, options, showForResource } from '../../shared/descriptions/common';
import { checkNoteLines, checkSummary, classAdvice, classCause, faultLines, fileAdvice, modelAdvice } from '../../shared/explain/check';
import type { ItemRun, ItemResult } from '../../shared/operation';
import type { ReadParameter } from '../../shared/parameters';
import { readServerToCheck } from '../../shared/workflows/convert';
import { workflowFieldsFor } from '../../shared/workflows/description';
import { findWorkflow } from '../../shared/workflows/load';
import { readWorkflowSource, type WorkflowSource } from '../../shared/workflows/source';

interface CheckSettings {
	source: WorkflowSource;
}

const show = showForResource('workflow', 'check');

export const menu = {
	name: 'Check',
	action: 'Check workflow',
	description: 'Check whether the server can run a workflow, and list missing nodes, models and files. The workflow is not run.',
};

export const toolText =
	'Checks whether a ComfyUI workflow can run on this server, without running it. Returns JSON: can_run, a summary, and the missing node classes, model files and input files, each with advice. It creates no job and costs nothing.';

export const description: INodeProperties[] = [...workflowFieldsFor(show.show), options(show, [concurrency, interfaceOption])];

export const settings = (read: ReadParameter): CheckSettings => ({ source: readWorkflowSource(read) });

const toNodeItems = (nodes: ConversionPlace[]): IDataObject[] =>
	nodes.map(({ nodeId, title, className, input }) => ({
		node_id: nodeId,
		title,
		class_name: className,
		...(input !== undefined && { input }),
	}));

const MOST_LINES = 200;

const linesOf = (faults: CheckFault[]): string[] => faults.slice(0, MOST_LINES).flatMap(faultLines);

function toCheckItem(check: WorkflowCheck, isOwnServer: boolean): IDataObject {
	const { missingClasses, missingModels, missingFiles, otherFaults } = check;
	const canRun = [missingClasses, missingModels, missingFiles, otherFaults].every(({ length }) => length === 0);
	return {
		can_run: canRun,
		summary: checkSummary(check),
		missing_classes: missingClasses.map((missing) => ({
			class_name: missing.className,
			pack: missing.pack ?? null,
			pack_is_guess: missing.pack !== undefined && missing.isGuess,
			cause: classCause(missing),
			advice: classAdvice(missing, isOwnServer),
			nodes: toNodeItems(missing.nodes),
		})),
		missing_models: missingModels.map((model) => ({
			name: model.name,
			folder: model.folder ?? null,
			url: model.url ?? null,
			similar: model.near,
			advice: modelAdvice(model),
			nodes: toNodeItems(model.nodes),
		})),
		missing_files: missingFiles.map((file) => ({
			name: file.name,
			folder: file.folder ?? null,
			similar: file.near,
			advice: fileAdvice(file),
			nodes: toNodeItems(file.nodes),
		})),
		other_faults: linesOf(otherFaults),
		notes: check.notes.slice(0, MOST_LINES).flatMap(checkNoteLines),
	};
}

/** With different classes. The answer for one may have megabytes. */
const MOST_WORKFLOWS = 100;

/** The servers that one run of the node has read. A later run reads them again, and sees what was installed since. */
const serversOf = onePerKey<Connection, Cache<string, Promise<CheckedServer>>>(() => new Cache({ mostEntries: MOST_WORKFLOWS }));

async function readServer(item: ItemRun, classes: string[]): Promise<CheckedServer> {
	return await serversOf(item.connection).getOrLoad(JSON.stringify(classes), async () => await readServerToCheck(item, classes));
}

/** Returns whether the server can run the workflow. Nothing is submitted. */
export async function execute(item: ItemRun, settings: CheckSettings): Promise<ItemResult> {
	const { workflow, title, editor } = await findWorkflow(item, settings.source);
	const content = workflow.format === 'api' ? workflow.graph : workflow.file;
	const server = await readServer(item, listClassesToCheck(content));
	const check = checkWorkflow(content, server, editor);
	return { json: { ...(title !== undefined && { workflow_name: title }), ...toCheckItem(check, item.credential.isOwnServer === true) } };
}
