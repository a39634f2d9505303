import { isRecord, listOf, numberOr, recordOf, recordsOf, requireRecord, requireText, textOr, type Unchecked } from '../../json/decode';
import { ShapeError } from '../../errors/errors';
import type { Library } from '../../generated/library';
import type { SavedWorkflow, WorkflowTemplate } from '../../ports/library';
import { timestampOf } from '../timestamps';

const APP_FILE = /\.app\.json$/i;
const WORKFLOW_FILE = /\.json$/i;

/** The editor keeps its own files in the same folder, for example `.index.json` with the bookmarks. */
const isHidden = (path: string): boolean => path.split('/').some((step) => step.startsWith('.') || step === '');

/**
 * Decodes the list of saved workflows. Its entries are records, or only paths if the server does not know `full_info`, or
 * lists with the path first if the server ignores `split=false`.
 * @throws ShapeError if the answer is not a list.
 */
export function decodeSavedWorkflows(value: unknown): SavedWorkflow[] {
	if (!Array.isArray(value)) throw new ShapeError('response is not a list of files');
	const found = value.map(decodeEntry).filter((saved) => saved !== undefined);
	return [...new Map(found.map((saved) => [saved.path, saved])).values()];
}

function decodeEntry(entry: unknown): SavedWorkflow | undefined {
	const {
		path: given,
		size,
		modified,
	}: Unchecked<Library['UserFile']> = isRecord(entry) ? entry : { path: Array.isArray(entry) ? (entry[0] as unknown) : entry };
	// A path without a record uses the separators of the server's own system.
	const path = isRecord(entry) ? textOr(given, '') : textOr(given, '').replaceAll('\\', '/');
	if (!WORKFLOW_FILE.test(path) || isHidden(path)) return undefined;
	return { path, isApp: APP_FILE.test(path), sizeBytes: numberOr(size, null), modifiedAt: timestampOf(modified) };
}

/** Decodes ComfyUI's own templates, which it lists in groups. @throws ShapeError if the answer is not a list. */
export function decodeTemplateIndex(value: unknown): WorkflowTemplate[] {
	if (!Array.isArray(value)) throw new ShapeError('response is not a list of groups');
	return recordsOf<Library['TemplateGroup']>(value).flatMap(({ title: group, templates }) =>
		recordsOf<Library['Template']>(templates).flatMap(({ name: given, title, description }) => {
			const name = textOr(given, '');
			return isTemplateName(name)
				? [{ name, title: textOr(title, name), description: textOr(description, ''), group: textOr(group, '') }]
				: [];
		}),
	);
}

/** Decodes pack → names. We call a template of a pack `<pack>/<name>`, because names of ComfyUI's own templates contain no slash. */
export const decodePackTemplates = (value: unknown): WorkflowTemplate[] =>
	Object.entries(requireRecord(value, 'answer')).flatMap(([pack, names]) =>
		listOf(names)
			.filter((name): name is string => typeof name === 'string' && isTemplateName(name) && isTemplateName(pack))
			.map((name) => ({ name: `${pack}/${name}`, title: name, description: '', group: pack })),
	);

/** A blueprint in the server's list. */
interface ListedBlueprint {
	/** Depends on the path on the disk of the server, so a name stands for it in a workflow. */
	id: string;
	blueprint: WorkflowTemplate;
}

/** ComfyUI names the Python module of a pack. */
const packOf = (module: unknown): string => textOr(module, '').replace(/^custom_nodes\./, '');

/** Decodes ID → blueprint. As for templates, the name of a blueprint of a pack is `<pack>/<name>`. */
export const decodeBlueprints = (value: unknown): ListedBlueprint[] =>
	Object.entries(requireRecord(value, 'answer')).flatMap(([id, entry]) => {
		const { source, name, info } = recordOf<Library['Blueprint']>(entry);
		const title = textOr(name, '');
		const pack = source === 'templates' ? '' : packOf(recordOf<Library['BlueprintInfo']>(info).node_pack);
		if (id === '' || !isTemplateName(title) || (source !== 'templates' && !isTemplateName(pack))) return [];
		return [{ id, blueprint: { name: pack === '' ? title : `${pack}/${title}`, title, description: '', group: pack } }];
	});

/** @returns the file of a blueprint as text, or null if the server does not have it. @throws ShapeError for any other answer. */
export const decodeBlueprintData = (value: unknown): string | null =>
	value === null ? null : requireText(requireRecord<Library['BlueprintFile']>(value, 'answer').data, 'data');

const isTemplateName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name);
