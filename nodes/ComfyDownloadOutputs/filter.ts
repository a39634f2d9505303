import type { JobOutput } from '../../client';
import type { OutputFilter } from './settings';

const KNOWN_TYPES: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'text', 'latent']);

/** Servers may say `image` for a video; the content type is right then. Kinds that are new to us count as files. */
function kindOf({ type, content_type }: JobOutput): string {
	const main = content_type.split('/')[0] ?? '';
	if (['image', 'video', 'audio'].includes(main)) return main;
	return KNOWN_TYPES.has(type) ? type : 'file';
}

function matches(pattern: string, name: string): boolean {
	const source = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
	return new RegExp(`^${source.join('.*')}$`, 'i').test(name);
}

const allows = (wanted: string[], test: (one: string) => boolean): boolean => wanted.length === 0 || wanted.some(test);

/** Whether an output passes all three filters. */
export const passes = (output: JobOutput, { nodeIds, types, names }: OutputFilter): boolean =>
	allows(nodeIds, (id) => id === output.node_id) &&
	allows(types, (type) => type === output.type || type === kindOf(output)) &&
	allows(names, (pattern) => matches(pattern, output.name));
