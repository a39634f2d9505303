/** What the editor can put into a file, each told by the file itself. */
interface Slot {
	link?: unknown;
	links?: unknown[] | null;
	widget?: object;
	shape?: number;
}
interface SavedNode {
	type: string;
	mode?: number;
	title?: string;
	inputs?: Slot[] | null;
	outputs?: Slot[] | null;
	widgets_values?: unknown;
	properties?: object;
}
interface SavedFile {
	nodes: SavedNode[];
	links?: unknown;
	version?: number;
	extra?: { reroutes?: unknown[]; linkExtensions?: unknown[]; groupNodes?: object; linearData?: object } | null;
	reroutes?: unknown[];
	definitions?: { subgraphs?: Array<SavedFile & { widgets?: unknown[] }> } | null;
}

const levels = (file: SavedFile): SavedFile[] => [file, ...(file.definitions?.subgraphs ?? [])];
const anyNode =
	(holds: (node: SavedNode) => boolean) =>
	(file: SavedFile): boolean =>
		levels(file).some(({ nodes }) => (nodes ?? []).some(holds));
const ofType = (pattern: RegExp) => anyNode(({ type }) => pattern.test(type));
const inText =
	(pattern: RegExp) =>
	(file: SavedFile): boolean =>
		pattern.test(JSON.stringify(file));

export const FEATURES: Record<string, (file: SavedFile) => boolean> = {
	'values by order': anyNode(({ widgets_values: values }) => Array.isArray(values) && values.length > 0),
	'values by name': anyNode(({ widgets_values: values }) => typeof values === 'object' && values !== null && !Array.isArray(values)),
	'the extra value after a seed': inText(/"(fixed|increment|decrement|randomize)"/),
	'widgets converted to sockets, or linked': anyNode(({ inputs }) =>
		(inputs ?? []).some(({ widget, link }) => widget !== undefined && link != null),
	),
	'links as lists': ({ links }) => Array.isArray(links) && links.some(Array.isArray),
	'links as objects': (file) =>
		levels(file).some(({ links }) => Array.isArray(links) && links.some((link) => !Array.isArray(link) && link !== null)),
	'reroutes that are nodes': ofType(/^Reroute/),
	'reroutes that are points of links': (file) => levels(file).some(({ extra, reroutes }) => (extra?.reroutes ?? reroutes ?? []).length > 0),
	primitives: ofType(/^PrimitiveNode$/),
	notes: ofType(/^(Markdown)?Note$/),
	'Get and Set': ofType(/^(SetNode|GetNode|easy [gs]etNode)$/),
	'muted nodes': anyNode(({ mode }) => mode === 2),
	'bypassed nodes': anyNode(({ mode }) => mode === 4),
	'groups of the older kind': (file) => file.extra?.groupNodes !== undefined,
	subgraphs: (file) => (file.definitions?.subgraphs ?? []).length > 0,
	'subgraphs in subgraphs': ({ definitions }) =>
		(definitions?.subgraphs ?? []).some(({ nodes }) => (nodes ?? []).some(({ type }) => /^[0-9a-f-]{36}$/.test(type))),
	'promoted widgets': (file) =>
		inText(/"proxyWidgets":\[\[/)(file) || (file.definitions?.subgraphs ?? []).some(({ widgets }) => (widgets ?? []).length > 0),
	uploads: ofType(/^(LoadImage|LoadImageMask|LoadAudio|LoadVideo|VHS_LoadVideo)$/),
	'previews and comparisons': ofType(/^(PreviewImage|PreviewAny|PreviewAudio|ImageCompare|Image Comparer .*)$/),
	'inputs behind a choice': inText(/"COMFY_DYNAMICCOMBO_V3"/),
	'inputs that grow': inText(/"name":\s*"(image|images\.image|values\.|masks\.mask|input)_?\d/),
	'dynamic prompts': inText(/\{[^{}"|]+\|[^{}"]+\}/),
	titles: anyNode(({ title }) => typeof title === 'string' && title !== ''),
	'names of files with patterns': inText(/%[^%"]+%/),
	'packs of others': ofType(/^VHS_|rgthree|pysssss/),
};
