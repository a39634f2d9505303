import type { JobOutput } from '../../../../client';
import type { OutputFilter } from './settings';

const MEDIA: readonly string[] = ['image', 'video', 'audio'];
const KNOWN_TYPES: ReadonlySet<string> = new Set([...MEDIA, 'text', 'latent']);

/** Servers may say `image` for a video; the content type is right then. Kinds that are new to us count as files. */
function kindOf({ type, content_type }: JobOutput): string {
	const main = content_type.split('/')[0] ?? '';
	if (MEDIA.includes(main)) return main;
	return KNOWN_TYPES.has(type) ? type : 'file';
}

const isOfType = (output: JobOutput, wanted: string): boolean =>
	wanted === kindOf(output) || (!MEDIA.includes(wanted) && wanted === output.type);

/** A star stands for any text. Each part is looked for once: as a pattern, many stars would be slow on a long name. */
function matches(pattern: string, name: string): boolean {
	const text = name.toLowerCase();
	const [first = '', ...parts] = pattern.toLowerCase().split('*');
	const last = parts.pop();
	if (last === undefined) return text === first;
	if (!text.startsWith(first)) return false;
	let at = first.length;
	for (const part of parts) {
		const found = text.indexOf(part, at);
		if (found < 0) return false;
		at = found + part.length;
	}
	return text.length - last.length >= at && text.endsWith(last);
}

const allows = (wanted: string[], test: (one: string) => boolean): boolean => wanted.length === 0 || wanted.some(test);

/** Whether an output passes all three filters. */
export const passes = (output: JobOutput, { nodeIds, types, names }: OutputFilter): boolean =>
	allows(nodeIds, (id) => id === output.node_id) &&
	allows(types, (type) => isOfType(output, type)) &&
	allows(names, (pattern) => matches(pattern, output.name));
