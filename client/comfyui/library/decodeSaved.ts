import { isRecord, numberOr, textOr, type Unchecked } from '../../decode';
import { ShapeError } from '../../errors';
import type { Library } from '../../generated/library';
import type { SavedWorkflow } from '../../ports';
import { momentOf } from '../moments';

const APP = /\.app\.json$/i;
const WORKFLOW = /\.json$/i;

/** The editor keeps files of its own beside them (`.index.json`: what is bookmarked). */
const isHidden = (path: string): boolean => path.split('/').some((step) => step.startsWith('.') || step === '');

/**
 * A list of records; of names alone where the server does not know `full_info`, and of their steps where it splits them
 * all the same. @throws ShapeError when this is no list.
 */
export function decodeSaved(value: unknown): SavedWorkflow[] {
	if (!Array.isArray(value)) throw new ShapeError('answer is no list of files');
	const found = value.map(savedOf).filter((saved) => saved !== undefined);
	return [...new Map(found.map((saved) => [saved.path, saved])).values()];
}

function savedOf(entry: unknown): SavedWorkflow | undefined {
	const {
		path: given,
		size,
		modified,
	}: Unchecked<Library['UserFile']> = isRecord(entry) ? entry : { path: Array.isArray(entry) ? (entry[0] as unknown) : entry };
	// Names alone are of the server's own system.
	const path = textOr(given, '').replaceAll(isRecord(entry) ? /^$/g : '\\', '/');
	if (!WORKFLOW.test(path) || isHidden(path)) return undefined;
	return { path, isApp: APP.test(path), sizeBytes: numberOr(size, null), modifiedAt: momentOf(modified) };
}
