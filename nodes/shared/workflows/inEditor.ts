import { createHash } from 'node:crypto';

import type { ICredentialDataDecryptedObject, ILoadOptionsFunctions } from 'n8n-workflow';

import { Cache, clock, type Definitions, exactText, outcomeOf, type ParsedWorkflow, parseWorkflow, untilStopped } from '../../../client';
import { editorCredential, withCredential } from '../connect/editorConnections';
import type { CredentialName } from '../credentials';
import { JUST_NOW_MS, requiredDefinitions } from '../inputs/definitions';
import { ItemFault } from '../itemFault';
import { wordsFor } from '../explain/wordsFor';
import { messages } from '../messages/catalogue';
import type { Words } from '../messages/words';
import { isExpression, locatorValue } from '../parameters';
import { controlCredential, type ControlServer, type ConversionContext } from './controlServer';
import { type LoadedWorkflow, toApiFormat } from './convert';
import { readJobWorkflow, readSavedWorkflow } from './load';
import { isEmptyWorkflow, type WorkflowSource } from './source';

/** The workflow of the node in the editor, or a notice that says why it is not known. */
type WorkflowInEditor = { workflow: LoadedWorkflow } | { notice: string };

const BY_NAME = 'Choose By Name, and enter the ID or title of the node and the name of its input, for example 6.text.';
const FROM_ITEM = `The workflow comes from an expression that has no value in the editor yet. ${BY_NAME}`;
const FROM_FILE = `The workflow comes from a file when the node runs. ${BY_NAME}`;

/** Each letter of a search loads the list again. The time is short, so that changes in ComfyUI show soon. */
const TTL_MS = 10_000;
const MOST_WORKFLOWS = 20;
/** The user waits for the list. */
const LOAD_LIMIT_MS = 20_000;

/** For each source, the field and the notice while it is empty. */
const FIELDS = {
	saved: ['savedWorkflow', 'Saved Workflow is empty. Choose a workflow first. Then this list shows its inputs.'],
	json: ['workflow', 'Workflow is empty. Paste a workflow first. Then this list shows its inputs.'],
	job: ['workflowJob', 'Job is empty. Choose a job first. Then this list shows the inputs of its workflow.'],
} as const;

interface EnteredSource {
	from: keyof typeof FIELDS;
	value: unknown;
}

/** Returns the value of the field, or a notice if it is empty or an expression. */
function readSource(editor: ILoadOptionsFunctions, from: EnteredSource['from']): EnteredSource | { notice: string } {
	const [field, emptyNotice] = FIELDS[from];
	const value = locatorValue(editor.getCurrentNodeParameter(field));
	if (isExpression(value) || value === undefined || value === null) return { notice: FROM_ITEM };
	return isEmptyWorkflow(value) ? { notice: emptyNotice } : { from, value };
}

async function readCredentialData(editor: ILoadOptionsFunctions, name: CredentialName): Promise<ICredentialDataDecryptedObject> {
	const data = await outcomeOf(editor.getCredentials(name));
	if (data.ok) return data.value;
	throw new ItemFault(messages.CREDENTIAL_NOT_CHOSEN());
}

function editorConversionContext(editor: ILoadOptionsFunctions): ConversionContext {
	const findControlServer = async (): Promise<ControlServer | undefined> => {
		const name = editor.getCurrentNodeParameter('authentication') as CredentialName;
		const credential = controlCredential(name, await readCredentialData(editor, name));
		return credential && { credential, use: async (work) => await withCredential(editor, credential, work) };
	};
	return { findControlServer, signal: clock.signalAfter(LOAD_LIMIT_MS) };
}

async function findEditorWorkflow(
	editor: ILoadOptionsFunctions,
	{ from, value }: EnteredSource,
	context: ConversionContext,
): Promise<ParsedWorkflow> {
	if (from === 'json') return parseWorkflow(value);
	if (from === 'saved') return (await readSavedWorkflow(context, String(value))).workflow;
	return await withCredential(
		editor,
		await editorCredential(editor),
		async (connection) => await readJobWorkflow(connection, String(value), context.signal),
	);
}

async function load(editor: ILoadOptionsFunctions, source: EnteredSource): Promise<LoadedWorkflow> {
	const context = editorConversionContext(editor);
	return await toApiFormat(context, await findEditorWorkflow(editor, source, context));
}

const recentWorkflows = new Cache<string, Promise<LoadedWorkflow>>({ mostEntries: MOST_WORKFLOWS, ttlMs: TTL_MS });

async function keyOf(editor: ILoadOptionsFunctions, source: EnteredSource): Promise<string> {
	const name = editor.getCurrentNodeParameter('authentication') as CredentialName;
	const data = await outcomeOf(editor.getCredentials(name));
	return createHash('sha256')
		.update(exactText([name, data.ok && data.value, editor.getCurrentNodeParameter('options.interface'), source]))
		.digest('hex');
}

async function loadRecent(editor: ILoadOptionsFunctions, source: EnteredSource): Promise<LoadedWorkflow> {
	return await recentWorkflows.getOrLoad(await keyOf(editor, source), async () => await load(editor, source));
}

const inOneLine = ({ message, advice }: Words): string =>
	`${message}. ${advice.replace(/^Nothing was sent\.\s*/, '').split('\n')[0] ?? ''}`.trim();

/** Loads the workflow of the node in the editor. Lists and forms show the notice instead of an error. */
export async function loadWorkflowInEditor(editor: ILoadOptionsFunctions): Promise<WorkflowInEditor> {
	const from = (editor.getCurrentNodeParameter('workflowSource') ?? 'saved') as WorkflowSource['from'];
	if (from === 'file') return { notice: FROM_FILE };
	if (isExpression(from)) return { notice: FROM_ITEM };
	const source = readSource(editor, from);
	if ('notice' in source) return source;
	const loaded = await outcomeOf(loadRecent(editor, source));
	return loaded.ok ? { workflow: loaded.value } : { notice: inOneLine(wordsFor(loaded.error)) };
}

const NO_CHOICES_HERE =
	'A deployment does not report the choices of inputs. Set Value From to Text or Expression, or choose the credential of your own ComfyUI.';

/** Returns the current definitions of these classes from the server of the credential, or a notice that says why they are not known. */
export async function readCurrentDefinitions(
	editor: ILoadOptionsFunctions,
	classes: string[],
): Promise<{ definitions: Definitions } | { notice: string }> {
	const { findControlServer, signal } = editorConversionContext(editor);
	const server = await outcomeOf(findControlServer());
	if (!server.ok) return { notice: inOneLine(wordsFor(server.error)) };
	if (server.value === undefined) return { notice: NO_CHOICES_HERE };
	const { credential, use } = server.value;
	const read = await outcomeOf(
		untilStopped(
			requiredDefinitions(
				credential,
				classes,
				async (missing, timeout) => await use(async ({ control }) => await control?.nodeDefinitions({ classes: missing, signal: timeout })),
				{ olderThanMs: JUST_NOW_MS },
			),
			signal,
		),
	);
	return read.ok ? { definitions: read.value } : { notice: inOneLine(wordsFor(read.error, credential)) };
}
