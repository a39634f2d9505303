/** Nodes that exist only in the editor. Their effect goes into the graph, and the nodes themselves do not. */

export const REROUTE = 'Reroute';
export const PRIMITIVE = 'PrimitiveNode';
const NOTES: ReadonlySet<string> = new Set(['Note', 'MarkdownNote', 'Label (rgthree)', 'Note Plus (mtb)']);
/** The names under which the frontend registers its own nodes. */
const FRONTEND_NODES: ReadonlySet<string> = new Set([REROUTE, PRIMITIVE, 'Note', 'MarkdownNote']);

/** They pass on what comes in at the same slot. */
const PACK_REROUTES: ReadonlySet<string> = new Set(['Reroute (rgthree)']);

/** A getter passes on what comes into the setter of the same name. */
const SETTERS: ReadonlySet<string> = new Set(['SetNode', 'easy setNode']);
const GETTERS: ReadonlySet<string> = new Set(['GetNode', 'easy getNode']);

/** They change the modes of other nodes. */
const OTHER_PACK_NODES: ReadonlySet<string> = new Set([
	'Bookmark (rgthree)',
	'Fast Actions Button (rgthree)',
	'Fast Bypasser (rgthree)',
	'Fast Groups Bypasser (rgthree)',
	'Fast Groups Muter (rgthree)',
	'Fast Muter (rgthree)',
	'Mute / Bypass Relay (rgthree)',
	'Mute / Bypass Repeater (rgthree)',
	'Node Collector (rgthree)',
	'Random Unmuter (rgthree)',
]);

/** Whether a node only shows a text in the editor. */
export const isNote = (className: string): boolean => NOTES.has(className);
export const isSetter = (className: string): boolean => SETTERS.has(className);
export const isGetter = (className: string): boolean => GETTERS.has(className);

/** @param isDefined whether the server has the class. Then only the frontend's own nodes are virtual. */
export const isVirtual = (className: string, isDefined: boolean): boolean =>
	FRONTEND_NODES.has(className) ||
	(!isDefined && [PACK_REROUTES, SETTERS, GETTERS, NOTES, OTHER_PACK_NODES].some((names) => names.has(className)));
