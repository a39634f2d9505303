import { createHash } from 'node:crypto';

import type { ICredentialDataDecryptedObject, ILoadOptionsFunctions } from 'n8n-workflow';

import { clock, exactText, outcomeOf, type ParsedWorkflow, parseWorkflow } from '../../../client';
import type { CredentialName } from '../credentials';
import { editorCredential, withCredential } from '../connect/editorConnect';
import { wordsFor } from '../messages/wordsFor';
import type { Words } from '../messages/words';
import { ItemFault } from '../itemFault';
import { isExpression, locatorValue } from '../parameters';
import { remember } from '../remember';
import { type Asker, type Beside, besideCredential } from './besideJobs';
import { converted, type LoadedWorkflow } from './converted';
import { ofJob, saved } from './load';
import type { WorkflowSource } from './source';
import { isEmptyWorkflow } from './isEmptyWorkflow';

type Editor = ILoadOptionsFunctions;

/** The workflow, or why there is none to list anything of: in one line that stands in place of the list. */
type InEditor = { workflow: LoadedWorkflow } | { why: string };

const BY_NAME = 'Choose By Name and enter e.g. 6.text: id or title of the node, and name of its input.';
const FROM_ITEM = `The workflow comes by an expression, which finds nothing before the flow has run. ${BY_NAME}`;
const FROM_FILE = `The workflow comes as a file when the node runs. ${BY_NAME}`;

/** Whoever types into a search asks again with each letter; what is saved in ComfyUI meanwhile is seen soon. */
const KEPT_MS = 10_000;
const MOST_KEPT = 20;
/** Somebody sits in front of the list. */
const WITHIN_MS = 20_000;

interface Entered {
	from: keyof typeof FIELDS;
	value: unknown;
}

const inOneLine = ({ message, advice }: Words): string =>
	`${message}. ${advice.replace(/^Nothing was sent\.\s*/, '').split('\n')[0] ?? ''}`.trim();

const FIELDS = {
	saved: ['savedWorkflow', 'Saved Workflow is empty: choose a workflow there first, then from what it lets you change.'],
	json: ['workflow', 'Workflow is empty: paste it there first, then choose from what it lets you change.'],
	job: ['workflowJob', 'Job is empty: choose one there first, then from what its workflow lets you change.'],
} as const;

/** What stands in a field, if it is not an expression. */
function enteredIn(editor: Editor, from: Entered['from']): Entered | { why: string } {
	const [field, whenEmpty] = FIELDS[from];
	const value = locatorValue(editor.getCurrentNodeParameter(field));
	if (isExpression(value) || value === undefined || value === null) return { why: FROM_ITEM };
	return isEmptyWorkflow(value) ? { why: whenEmpty } : { from, value };
}

async function credentialData(editor: Editor, name: CredentialName): Promise<ICredentialDataDecryptedObject> {
	const data = await outcomeOf(editor.getCredentials(name));
	if (data.ok) return data.value;
	throw new ItemFault('No credential is chosen', 'Choose one at the top, so that ComfyUI can be asked for the workflow.');
}

function askerInEditor(editor: Editor): Asker {
	const beside = async (): Promise<Beside | undefined> => {
		const name = editor.getCurrentNodeParameter('authentication') as CredentialName;
		const credential = besideCredential(name, await credentialData(editor, name));
		return credential && { credential, ask: async (work) => await withCredential(editor, credential, work) };
	};
	return { beside, signal: clock.signalAfter(WITHIN_MS) };
}

async function found(editor: Editor, { from, value }: Entered, asker: Asker): Promise<ParsedWorkflow> {
	if (from === 'json') return parseWorkflow(value);
	if (from === 'saved') return (await saved(asker, String(value))).workflow;
	return await withCredential(
		editor,
		await editorCredential(editor),
		async (connection) => await ofJob(connection, String(value), asker.signal),
	);
}

async function load(editor: Editor, entered: Entered): Promise<LoadedWorkflow> {
	const asker = askerInEditor(editor);
	return await converted(asker, await found(editor, entered, asker));
}

const recent = new Map<string, { at: number; loading: Promise<LoadedWorkflow> }>();

async function keyOf(editor: Editor, entered: Entered): Promise<string> {
	const name = editor.getCurrentNodeParameter('authentication') as CredentialName;
	const data = await outcomeOf(editor.getCredentials(name));
	return createHash('sha256')
		.update(exactText([name, data.ok && data.value, editor.getCurrentNodeParameter('options.interface'), entered]))
		.digest('hex');
}

async function loadRecent(editor: Editor, entered: Entered): Promise<LoadedWorkflow> {
	const key = await keyOf(editor, entered);
	const known = recent.get(key);
	const isRecent = known !== undefined && clock.realNow() - known.at < KEPT_MS;
	const { at, loading } = isRecent ? known : { at: clock.realNow(), loading: load(editor, entered) };
	for (const [old, { at: since }] of recent) if (clock.realNow() - since > KEPT_MS) recent.delete(old);
	return await remember(recent, key, { at, loading }, MOST_KEPT).loading;
}

/** The workflow of the node that is being set up. */
export async function workflowInEditor(editor: Editor): Promise<InEditor> {
	const from = (editor.getCurrentNodeParameter('workflowSource') ?? 'saved') as WorkflowSource['from'];
	if (from === 'file') return { why: FROM_FILE };
	if (isExpression(from)) return { why: FROM_ITEM };
	const entered = enteredIn(editor, from);
	if ('why' in entered) return entered;
	const loaded = await outcomeOf(loadRecent(editor, entered));
	return loaded.ok ? { workflow: loaded.value } : { why: inOneLine(wordsFor(loaded.error)) };
}
