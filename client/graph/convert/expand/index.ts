import type { Definitions } from '../../form';
import type { EditorFile, EditorGraph } from '../model';
import type { ConversionRefusal } from '../../../graphFaults';
import { Flattened } from './flatten';
import { hasGroups, ungroup } from './groups';
import { type Level, type Levels, levelsOf } from './levels';
import { nestingOf } from './nesting';
import { Promoted } from './promoted';
import { Proxies, hasProxies } from './proxies';
import { widgetSpecsBy } from './widgetSpecs';

/** What the instances in a level hold, and what older files have instead of borders; the insides of all of them are done before. */
function settle({ nodes }: Level, { subgraphs }: Levels, promoted: Promoted, proxies: Proxies): void {
	const hosts = [...nodes.values()].flatMap((host) => {
		const inside = subgraphs.get(host.className);
		return inside === undefined ? [] : [{ host, inside }];
	});
	for (const { host, inside } of hosts) promoted.takeFileValues(host, inside);
	for (const { host, inside } of hosts) if (hasProxies(host)) proxies.bringUpToDate(host, inside);
}

export interface Expanded {
	graph: EditorGraph;
	/** Nodes that the frontend of today reads otherwise than the one that wrote the file; what they were is what they are here. */
	readOtherwise: ReadonlySet<string>;
	refusals: ConversionRefusal[];
}

/**
 * A file's subgraphs, and groups of the older kind, become part of one flat graph: ids `12:3`, links through borders joined,
 * values of widgets shown outside told as sources of links.
 * @param definitions which values are whose hangs on the widgets inside; without them only the nodes are right.
 */
export function expand(file: EditorFile, definitions: Definitions): Expanded {
	if (file.subgraphs.size === 0 && !hasGroups(file)) return { graph: file, readOtherwise: new Set(), refusals: [] };
	const { innermostFirst, refusals } = nestingOf(file);
	if (refusals.length > 0) return { graph: { nodes: new Map(), links: new Map() }, readOtherwise: new Set(), refusals };
	const levels = levelsOf(file);
	const readOtherwise = ungroup(file, levels, definitions);
	const promoted = new Promoted(levels, definitions, widgetSpecsBy(definitions));
	const proxies = new Proxies(promoted);
	for (const id of innermostFirst) {
		const level = levels.subgraphs.get(id);
		if (level !== undefined) settle(level, levels, promoted, proxies);
	}
	settle(levels.root, levels, promoted, proxies);
	return { graph: new Flattened(promoted), readOtherwise, refusals: [] };
}
