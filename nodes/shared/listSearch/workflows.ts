import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import {
	clock,
	newestSavedFirst,
	outcomeOf,
	type SavedWorkflow,
	templateChoice,
	type WorkflowLibrary,
	workflowFolder,
	type WorkflowTemplate,
	workflowTitle,
} from '../../../client';
import { type CredentialName, isDeployment, serverKey, type ServiceCredential } from '../credentials';
import { withService } from '../connect/editorConnect';
import { KEPT_BY_NO_DEPLOYMENT, NO_SAVED_YET, NOTHING_TO_LIST } from '../messages/workflowSources';
import { shownIn } from '../moments';
import { remember } from '../remember';
import { keepingChosen, linked } from './keepingChosen';
import { instead, matches, pageOf, wordsOf } from './entries';

const PAGE_SIZE = 100;
/** Each letter of a search asks for all of it again, and half a megabyte of templates changes with ComfyUI's version only. */
const TEMPLATES_FOR_MS = 5 * 60_000;
const MOST_SERVERS = 20;

function savedEntry({ path, isApp, modifiedAt }: SavedWorkflow, zone: string): INodeListSearchItems {
	const title = isApp ? `${workflowTitle(path)} (app)` : workflowTitle(path);
	const at = modifiedAt === null ? '' : shownIn(zone, Date.parse(modifiedAt)).slice(0, 'yyyy-mm-dd hh:mm'.length);
	return { name: [title, workflowFolder(path), at].filter(Boolean).join(' · '), value: path };
}

const templateEntry = ({ name, title, group }: WorkflowTemplate): INodeListSearchItems => ({
	name: ['Template', group, title].filter(Boolean).join(' · '),
	value: templateChoice(name),
});

const known = new Map<string, { readAt: number; templates: WorkflowTemplate[] }>();

/** What was read shortly ago, of this address with this key; without them the list is shorter, not empty. */
async function templatesOf(library: WorkflowLibrary, credential: ServiceCredential): Promise<WorkflowTemplate[]> {
	const server = serverKey(credential);
	const earlier = known.get(server);
	if (earlier !== undefined && clock.realNow() - earlier.readAt < TEMPLATES_FOR_MS) return earlier.templates;
	const read = await outcomeOf(library.templates());
	if (!read.ok) return earlier?.templates ?? [];
	return remember(known, server, { readAt: clock.realNow(), templates: read.value }, MOST_SERVERS).templates;
}

async function allEntries(editor: ILoadOptionsFunctions): Promise<INodeListSearchItems[]> {
	return await withService(editor, { needsControl: true }, async ({ library }, credential) => {
		const name = editor.getCurrentNodeParameter('authentication') as CredentialName;
		if (library === undefined || isDeployment(name, await editor.getCredentials(name))) return [instead(KEPT_BY_NO_DEPLOYMENT)];
		const saved = (await library.list()).sort(newestSavedFirst).map((one) => savedEntry(one, editor.getTimezone()));
		const templates = (await templatesOf(library, credential)).map(templateEntry);
		if (saved.length > 0) return [...saved, ...templates];
		return [instead(templates.length === 0 ? NOTHING_TO_LIST : NO_SAVED_YET), ...templates];
	});
}

/** In one line what happened and what to do: n8n shows a list that fails without either. */
function whyNone(error: unknown): INodeListSearchItems {
	const { message, description } = error as { message: string; description?: unknown };
	const advice = typeof description === 'string' ? (description.split('\n')[0] ?? '') : '';
	return instead(`${message}. ${advice}`.trim());
}

/**
 * What is saved in ComfyUI, newest first, and below it the templates that it brings, a page at a time; found by the words
 * of title, folder, group and date. A value is what `readChosenWorkflow` reads.
 */
export async function searchSavedWorkflows(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const words = wordsOf(filter);
	const listed = await outcomeOf(allEntries(this));
	const whole = listed.ok ? listed.value : [whyNone(listed.error)];
	const entries = words.length === 0 ? keepingChosen(this, ['savedWorkflow'], whole) : linked(this, whole);
	// A line that is no entry is no match for any word, and stays.
	const found = entries.filter((entry) => (entry.value === '' ? words.length === 0 || whole.length === 1 : matches(entry, words)));
	return pageOf(found, PAGE_SIZE, paginationToken);
}
