import { ApiError } from '../../errors/errors';
import { type RunnableBlueprint, toRunnable } from '../../graph/convert/blueprint';
import { nearMatches } from '../../text/text';
import type { JsonRecord } from '../../json/decode';
import type { CallOptions } from '../../ports/jobService';
import type { SavedWorkflow, WorkflowLibrary } from '../../ports/library';
import { outcomeOf } from '../../async/outcome';

/**
 * A parameter stores a choice from the library as text: the path of a saved workflow (`portraits/fox.app.json`), or a
 * template or blueprint with its prefix (`template:flux_schnell`). Each saved workflow ends in `.json`, and nothing else does.
 */
const PREFIXES = { template: 'template:', blueprint: 'blueprint:' };
const WORKFLOW_FILE = /\.json$/i;

type WorkflowChoice = { from: 'saved'; path: string } | { from: 'template'; name: string } | { from: 'blueprint'; name: string };

export const templateChoice = (name: string): string => `${PREFIXES.template}${name}`;
export const blueprintChoice = (name: string): string => `${PREFIXES.blueprint}${name}`;

function workflowChoice(chosen: string): WorkflowChoice {
	for (const from of ['template', 'blueprint'] as const) {
		const prefix = PREFIXES[from];
		if (chosen.startsWith(prefix) && !WORKFLOW_FILE.test(chosen)) return { from, name: chosen.slice(prefix.length) };
	}
	return { from: 'saved', path: chosen };
}

/** Returns the path without `.json` or `.app.json`. */
export const bareWorkflowPath = (path: string): string => path.replace(/(\.app)?\.json$/i, '');

/** Returns the name that the editor shows: without folder, `.json` and `.app.json`. */
export const workflowTitle = (path: string): string => bareWorkflowPath(path.split('/').at(-1) ?? path);

export const workflowFolder = (path: string): string => path.split('/').slice(0, -1).join('/');

/** Sorts by time, because a user mostly looks for a workflow that they just saved. Without times, sorts by path. */
export function newestSavedFirst(one: SavedWorkflow, other: SavedWorkflow): number {
	const [oneAt, otherAt] = [one.modifiedAt ?? '', other.modifiedAt ?? ''];
	return oneAt === otherAt ? one.path.localeCompare(other.path) : otherAt.localeCompare(oneAt);
}

export interface ChosenWorkflow {
	/** Mostly in editor format. */
	content: JsonRecord;
	choice: WorkflowChoice;
	/** The name to show to users. */
	title: string;
	/** What was added to a blueprint so that it can run. Absent for other workflows. */
	blueprint?: Pick<RunnableBlueprint, 'notes'>;
}

/**
 * Reads a workflow that was chosen from the list or entered by name.
 * @param chosen a path, with or without its folder and ending, or a template or blueprint with its prefix.
 * @throws ApiError `workflow_not_found` (`details.near`: similar paths), `workflow_ambiguous` (`details.paths`),
 *   `template_not_found`, `blueprint_not_found`, and the errors of the library; GraphError `not_a_blueprint`.
 */
export async function readChosenWorkflow(library: WorkflowLibrary, chosen: string, options: CallOptions = {}): Promise<ChosenWorkflow> {
	const choice = workflowChoice(chosen.trim());
	if (choice.from === 'template') return { content: await library.template(choice.name, options), choice, title: choice.name };
	if (choice.from === 'blueprint') {
		const { file, notes } = toRunnable(choice.name, await library.blueprint(choice.name, options));
		return { content: file, choice, title: choice.name, blueprint: { notes } };
	}
	const path = choice.path.replaceAll('\\', '/').replace(/^(\.?\/)+/, '');
	// ComfyUI creates the folders of a path that it is asked for, so a guess is looked up in the list instead.
	if (!WORKFLOW_FILE.test(path) || withoutFolder(path) !== path) return await readByName(library, path, options);
	const read = await outcomeOf(library.read(path, options));
	if (read.ok) return { content: read.value, choice: { from: 'saved', path }, title: workflowTitle(path) };
	if (!isWorkflowMissing(read.error)) throw read.error;
	const listed = await outcomeOf(library.list(options));
	throw notFoundError(library, path, listed.ok ? listed.value : []);
}

const isWorkflowMissing = (error: unknown): boolean => error instanceof ApiError && error.code === 'workflow_not_found';

/** Users also write the path with the name of the folder. */
const withoutFolder = (path: string): string => path.replace(/^workflows\//, '');

async function readByName(library: WorkflowLibrary, name: string, options: CallOptions): Promise<ChosenWorkflow> {
	const saved = await library.list(options);
	const [match, ...more] = [name, withoutFolder(name)].map((one) => findByName(saved, one)).find((some) => some.length > 0) ?? [];
	if (match === undefined) throw notFoundError(library, name, saved);
	if (more.length > 0) throw toError(library, 'workflow_ambiguous', name, { paths: [match, ...more].map(({ path }) => path) });
	return {
		content: await library.read(match.path, options),
		choice: { from: 'saved', path: match.path },
		title: workflowTitle(match.path),
	};
}

/** Compares the whole path first, then the path without ending, then the title, and last without regard to case. */
function findByName(saved: SavedWorkflow[], name: string): SavedWorkflow[] {
	const bare = ({ path }: SavedWorkflow): string => bareWorkflowPath(path);
	const rules: Array<(one: SavedWorkflow) => boolean> = [
		({ path }) => path === name || path.replace(WORKFLOW_FILE, '') === name,
		(one) => bare(one) === name,
		({ path }) => workflowTitle(path) === name || path.split('/').at(-1)?.replace(WORKFLOW_FILE, '') === name,
		(one) => bare(one).toLowerCase() === name.toLowerCase() || workflowTitle(one.path).toLowerCase() === name.toLowerCase(),
	];
	return rules.map((matches) => saved.filter(matches)).find((found) => found.length > 0) ?? [];
}

/** The error contains saved workflows with similar names. */
function notFoundError(library: WorkflowLibrary, name: string, saved: SavedWorkflow[]): ApiError {
	const similar = nearMatches(
		workflowTitle(name),
		saved.map(({ path }) => workflowTitle(path)),
	);
	const paths = similar.flatMap((title) => saved.filter(({ path }) => workflowTitle(path) === title)).map(({ path }) => path);
	return toError(library, 'workflow_not_found', name, { path: name, near: [...new Set(paths)].slice(0, 5) });
}

const toError = (library: WorkflowLibrary, code: string, name: string, details: JsonRecord): ApiError =>
	new ApiError({ interface: library.interface, code, status: code === 'workflow_ambiguous' ? 409 : 404, message: name, details });
