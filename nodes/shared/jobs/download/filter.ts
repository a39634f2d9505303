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

function matches(pattern: string, name: string): boolean {
	const source = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
	return new RegExp(`^${source.join('.*')}$`, 'i').test(name);
}

const allows = (wanted: string[], test: (one: string) => boolean): boolean => wanted.length === 0 || wanted.some(test);

/** Whether an output passes all three filters. */
export const passes = (output: JobOutput, { nodeIds, types, names }: OutputFilter): boolean =>
	allows(nodeIds, (id) => id === output.node_id) &&
	allows(types, (type) => isOfType(output, type)) &&
	allows(names, (pattern) => matches(pattern, output.name));
