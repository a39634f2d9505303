import type { EditorNode } from './model';

/** Nodes of the editor alone: what they mean goes into the graph, they do not. */

/** The frontend's own, by the names under which it registers them. */
export const REROUTE = 'Reroute';
export const PRIMITIVE = 'PrimitiveNode';
const OF_THE_FRONTEND: ReadonlySet<string> = new Set([REROUTE, PRIMITIVE, 'Note', 'MarkdownNote']);

/** Hands on what comes in at the same slot. */
const REROUTES_OF_PACKS: ReadonlySet<string> = new Set(['Reroute (rgthree)']);

/** Pairs of one name: what a getter hands on is what came into the setter. */
const SETTERS: ReadonlySet<string> = new Set(['SetNode', 'easy setNode']);
const GETTERS: ReadonlySet<string> = new Set(['GetNode', 'easy getNode']);

/** They change modes of other nodes, or are there to be read. */
const OTHERS_OF_PACKS: ReadonlySet<string> = new Set([
	'Bookmark (rgthree)',
	'Fast Actions Button (rgthree)',
	'Fast Bypasser (rgthree)',
	'Fast Groups Bypasser (rgthree)',
	'Fast Groups Muter (rgthree)',
	'Fast Muter (rgthree)',
	'Label (rgthree)',
	'Mute / Bypass Relay (rgthree)',
	'Mute / Bypass Repeater (rgthree)',
	'Node Collector (rgthree)',
	'Random Unmuter (rgthree)',
	'Note Plus (mtb)',
]);

/** cg-use-everywhere sends what comes into these to every input that it finds fitting, at each export. */
const isEverywhere = (className: string): boolean => className.startsWith('Anything Everywhere') || className === 'Prompts Everywhere';

/** @param isLinked whether anything comes into it. */
export const linksUnseen = ({ className, properties }: EditorNode, isLinked: boolean): boolean =>
	className === 'Seed Everywhere' || properties.ue_convert === true || (isEverywhere(className) && isLinked);

export const isSetter = (className: string): boolean => SETTERS.has(className);
export const isGetter = (className: string): boolean => GETTERS.has(className);

/** @param isDefined whether the server knows the class: then only the frontend's own names stand above it. */
export const isVirtual = (className: string, isDefined: boolean): boolean =>
	OF_THE_FRONTEND.has(className) ||
	(!isDefined && [REROUTES_OF_PACKS, SETTERS, GETTERS, OTHERS_OF_PACKS].some((names) => names.has(className)));
