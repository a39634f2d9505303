import { ApiError } from '../../errors';
import { nearMatches } from '../../text';
import type { JsonRecord } from '../../decode';
import type { CallOptions, SavedWorkflow, WorkflowLibrary } from '../../ports';
import { outcomeOf } from '../../transport/outcome';

/**
 * How a choice from the library is written where it is kept: the path of a saved workflow as it is
 * (`portraits/fox.app.json`), a template after this word (`template:flux_schnell`). Every saved workflow ends in `.json`,
 * and no template does.
 */
const TEMPLATE = 'template:';
const FILE = /\.json$/i;

export type WorkflowChoice = { from: 'saved'; path: string } | { from: 'template'; name: string };

export const templateChoice = (name: string): string => `${TEMPLATE}${name}`;

export const workflowChoice = (chosen: string): WorkflowChoice =>
	chosen.startsWith(TEMPLATE) && !FILE.test(chosen)
		? { from: 'template', name: chosen.slice(TEMPLATE.length) }
		: { from: 'saved', path: chosen };

/** The path without its endings. */
export const bareWorkflowPath = (path: string): string => path.replace(/(\.app)?\.json$/i, '');

/** As the editor shows it: without its folder and its endings. */
export const workflowTitle = (path: string): string => bareWorkflowPath(path.split('/').at(-1) ?? path);

export const workflowFolder = (path: string): string => path.split('/').slice(0, -1).join('/');

/** Whoever looks for a workflow has mostly just saved it; where no times are told, by name. */
export function newestSavedFirst(one: SavedWorkflow, other: SavedWorkflow): number {
	const [oneAt, otherAt] = [one.modifiedAt ?? '', other.modifiedAt ?? ''];
	return oneAt === otherAt ? one.path.localeCompare(other.path) : otherAt.localeCompare(oneAt);
}

export interface ChosenWorkflow {
	/** In the editor's format mostly. */
	content: JsonRecord;
	choice: WorkflowChoice;
	/** What people call it. */
	title: string;
}

/**
 * Reads what was chosen from the list, or told by name: a path, with or without its folder and its ending, or a template
 * after its word.
 * @throws ApiError `workflow_not_found` (`details.near`: paths that look alike), `workflow_ambiguous` (`details.paths`),
 *   `template_not_found`, and what the library throws.
 */
export async function readChosenWorkflow(library: WorkflowLibrary, chosen: string, options: CallOptions = {}): Promise<ChosenWorkflow> {
	const choice = workflowChoice(chosen.trim());
	if (choice.from === 'template') return { content: await library.template(choice.name, options), choice, title: choice.name };
	const path = choice.path.replaceAll('\\', '/').replace(/^(\.?\/)+/, '');
	// A server makes the folders of whatever is asked for: guesses are looked up in its list.
	if (!FILE.test(path) || belowFolder(path) !== path) return await readNamed(library, path, options);
	const read = await outcomeOf(library.read(path, options));
	if (read.ok) return { content: read.value, choice: { from: 'saved', path }, title: workflowTitle(path) };
	throw isGone(read.error) ? await goneError(library, path, options) : read.error;
}

const isGone = (error: unknown): boolean => error instanceof ApiError && error.code === 'workflow_not_found';

/** People write its path from the folder's own name on. */
const belowFolder = (path: string): string => path.replace(/^workflows\//, '');

async function readNamed(library: WorkflowLibrary, name: string, options: CallOptions): Promise<ChosenWorkflow> {
	const saved = await library.list(options);
	const [found, ...more] = [name, belowFolder(name)].map((one) => named(saved, one)).find((some) => some.length > 0) ?? [];
	if (found === undefined) throw gone(library, name, saved);
	if (more.length > 0) throw refusal(library, 'workflow_ambiguous', name, { paths: [found, ...more].map(({ path }) => path) });
	return {
		content: await library.read(found.path, options),
		choice: { from: 'saved', path: found.path },
		title: workflowTitle(found.path),
	};
}

/** With its folder it is one or none; without, by its title, exactly or else but for its case. */
function named(saved: SavedWorkflow[], name: string): SavedWorkflow[] {
	const bare = ({ path }: SavedWorkflow): string => bareWorkflowPath(path);
	const ways: Array<(one: SavedWorkflow) => boolean> = [
		({ path }) => path === name || path.replace(FILE, '') === name,
		(one) => bare(one) === name,
		({ path }) => workflowTitle(path) === name || path.split('/').at(-1)?.replace(FILE, '') === name,
		(one) => bare(one).toLowerCase() === name.toLowerCase() || workflowTitle(one.path).toLowerCase() === name.toLowerCase(),
	];
	return ways.map((is) => saved.filter(is)).find((found) => found.length > 0) ?? [];
}

/** Those that look alike are told where they can be listed. */
async function goneError(library: WorkflowLibrary, name: string, options: CallOptions): Promise<ApiError> {
	const listed = await outcomeOf(library.list(options));
	return gone(library, name, listed.ok ? listed.value : []);
}

function gone(library: WorkflowLibrary, name: string, saved: SavedWorkflow[]): ApiError {
	const near = nearMatches(
		workflowTitle(name),
		saved.map(({ path }) => workflowTitle(path)),
	);
	const paths = near.flatMap((title) => saved.filter(({ path }) => workflowTitle(path) === title)).map(({ path }) => path);
	return refusal(library, 'workflow_not_found', name, { path: name, near: [...new Set(paths)].slice(0, 5) });
}

const refusal = (library: WorkflowLibrary, code: string, name: string, details: JsonRecord): ApiError =>
	new ApiError({ interface: library.interface, code, status: code === 'workflow_ambiguous' ? 409 : 404, message: name, details });
