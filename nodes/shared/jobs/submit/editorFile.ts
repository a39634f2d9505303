/** The option *Embed Workflow In Outputs*: the editor's file that ComfyUI writes into the outputs of a job. */
import { type ApiGraph, exactText, isRecord, onePerKey, removeTexts, writeValues } from '../../../../client';
import { logDecision } from '../../debugLog';
import { noEditorFileLine } from '../../messages/logLines';
import type { EditorWorkflow } from '../../workflows/convert';
import type { SubmitSettings } from './settings';

/** Each output of the job contains the file. nginx in front of a ComfyUI accepts requests of 1 MB by default. */
const LARGEST_FILE_BYTES = 512 * 1024;

type EditorFile = ReturnType<typeof writeValues>;

/**
 * Returns a function for `NewJob.toEditorFile`. It never throws: without a file, the job runs in the same way.
 * @param editor the file that the workflow was converted from; undefined for a workflow in API format, which nothing is sent for.
 */
export function editorFileWriter(
	{ embedWorkflow }: Pick<SubmitSettings, 'embedWorkflow'>,
	editor: EditorWorkflow | undefined,
): ((graph: ApiGraph) => EditorFile) | undefined {
	if (editor === undefined || embedWorkflow === 'no') return undefined;
	// Several attempts send the same graph.
	const written = onePerKey((graph: ApiGraph) => ({ file: write(editor, graph, embedWorkflow === 'withoutTexts') }));
	return (graph) => written(graph).file;
}

function write({ file, definitions, convertedAt }: EditorWorkflow, graph: ApiGraph, withoutTexts: boolean): EditorFile {
	const options = { now: convertedAt };
	try {
		const written = isRecord(file) ? writeValues(file, graph, definitions, options) : undefined;
		if (written !== undefined && withoutTexts) removeTexts(written, definitions, options);
		if (written !== undefined && Buffer.byteLength(exactText(written)) <= LARGEST_FILE_BYTES) return written;
		logDecision(() => noEditorFileLine(written === undefined ? 'values' : 'size'));
	} catch {
		logDecision(() => noEditorFileLine('values'));
	}
	return undefined;
}
