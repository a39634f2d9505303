import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import {
	blueprintChoice,
	Cache,
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
import { withService } from '../connect/editorConnections';
import { type CredentialName, isDeployment, serverKey, type ServiceCredential } from '../credentials';
import { formatInZone } from '../dates';
import { KEPT_BY_NO_DEPLOYMENT, NO_SAVED_YET, NOTHING_TO_LIST } from '../messages/topics/workflow';
import { addLinks, toErrorEntry, keepChosenFirst, matchesWords, toNoticeEntry, toPage, splitWords } from './entries';

const PAGE_SIZE = 100;
/** Each letter of a search loads the list again. The templates, half a megabyte, and blueprints change only with the version of ComfyUI. */
const SUPPLIED_TTL_MS = 5 * 60_000;
const MOST_SERVERS = 20;

function toSavedEntry({ path, isApp, modifiedAt }: SavedWorkflow, zone: string): INodeListSearchItems {
	const title = isApp ? `${workflowTitle(path)} (app)` : workflowTitle(path);
	const time = modifiedAt === null ? '' : formatInZone(zone, Date.parse(modifiedAt)).slice(0, 'yyyy-mm-dd hh:mm'.length);
	return { name: [title, workflowFolder(path), time].filter(Boolean).join(' · '), value: path };
}

const toTemplateEntry = ({ name, title, group }: WorkflowTemplate): INodeListSearchItems => ({
	name: ['Template', group, title].filter(Boolean).join(' · '),
	value: templateChoice(name),
});

const toBlueprintEntry = ({ name, title, group }: WorkflowTemplate): INodeListSearchItems => ({
	name: ['Blueprint', group, title].filter(Boolean).join(' · '),
	value: blueprintChoice(name),
});

const cachedEntries = new Cache<string, { entries: INodeListSearchItems[]; readAt: number }>({ mostEntries: MOST_SERVERS });

/** Returns what comes with the server: its blueprints and templates. If one kind cannot be read, older entries are used, or only the other kind. */
async function readSupplied(library: WorkflowLibrary, credential: ServiceCredential): Promise<INodeListSearchItems[]> {
	const key = serverKey(credential);
	const cached = cachedEntries.get(key);
	if (cached !== undefined && clock.now() - cached.readAt < SUPPLIED_TTL_MS) return cached.entries;
	const [blueprints, templates] = await Promise.all([outcomeOf(library.blueprints()), outcomeOf(library.templates())]);
	const areComplete = blueprints.ok && templates.ok;
	if (!areComplete && cached !== undefined) return cached.entries;
	const entries = [
		...(blueprints.ok ? blueprints.value.map(toBlueprintEntry) : []),
		...(templates.ok ? templates.value.map(toTemplateEntry) : []),
	];
	if (areComplete) cachedEntries.set(key, { entries, readAt: clock.now() });
	return entries;
}

async function readEntries(editor: ILoadOptionsFunctions): Promise<INodeListSearchItems[]> {
	return await withService(editor, { needsControl: true }, async ({ library }, credential) => {
		const name = editor.getCurrentNodeParameter('authentication') as CredentialName;
		if (library === undefined || isDeployment(name, await editor.getCredentials(name))) return [toNoticeEntry(KEPT_BY_NO_DEPLOYMENT)];
		const [workflows, published, supplied] = await Promise.all([
			library.list(),
			library.savedBlueprints(),
			readSupplied(library, credential),
		]);
		const saved = workflows.sort(newestSavedFirst).map((workflow) => toSavedEntry(workflow, editor.getTimezone()));
		const others = [...published.map(toBlueprintEntry), ...supplied];
		if (saved.length > 0) return [...saved, ...others];
		return [toNoticeEntry(others.length === 0 ? NOTHING_TO_LIST : NO_SAVED_YET), ...others];
	});
}

/**
 * Lists the workflows that are saved in ComfyUI, newest first, then blueprints and templates, page by page. The filter searches in
 * title, folder, group and date. The values are what `readChosenWorkflow` reads.
 */
export async function searchSavedWorkflows(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const words = splitWords(filter);
	const read = await outcomeOf(readEntries(this));
	const entries = read.ok ? read.value : [toErrorEntry(read.error)];
	const linked = words.length === 0 ? keepChosenFirst(this, ['savedWorkflow'], entries) : addLinks(this, entries);
	// A notice that is the only entry stays in the list for any search words.
	const showsNotice = words.length === 0 || entries.length === 1;
	const matching = linked.filter((entry) => (entry.value === '' ? showsNotice : matchesWords(entry, words)));
	return toPage(matching, PAGE_SIZE, paginationToken);
}
