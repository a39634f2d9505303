import { isExactNumber } from '../../json/numbers';
import type { EditorNode } from './model';
import type { Network } from './network';
import { editorTitleOf } from './place';
import { PRIMITIVE } from './virtual';
import { widgetsOf } from './widgets';

/** Classes in whose file names the frontend puts dates and other nodes' values before it sends them. */
const NAMES_FILES: ReadonlySet<string> = new Set([
	'CLIPSave',
	'LoraSave',
	'ModelSave',
	'Save3DAdvanced',
	'SaveAnimatedPNG',
	'SaveAnimatedWEBP',
	'SaveAudio',
	'SaveAudioAdvanced',
	'SaveAudioMP3',
	'SaveAudioOpus',
	'SaveGLB',
	'SaveGaussianSplat',
	'SaveImage',
	'SaveImageAdvanced',
	'SaveLatent',
	'SavePointCloud',
	'SaveSVGNode',
	'SaveVideo',
	'SaveWEBM',
	'VAESave',
]);

export const isFileName = ({ className }: EditorNode, input: string): boolean => input === 'filename_prefix' && NAMES_FILES.has(className);

const PATTERN = /%([^%]+)%/g;
const OF_A_NODE = /%[^%.]+\.[^%.]+%/;

/** Whether its file's name takes values of other nodes, of muted ones too. */
export const takesOthersValues = ({ className, values }: EditorNode): boolean =>
	NAMES_FILES.has(className) && Object.values(values ?? {}).some((value) => typeof value === 'string' && OF_A_NODE.test(value));

const DATE = 'date:';
const DATE_PARTS = /dd?|MM?|hh?|mm?|ss?|yyy?y?/g;
/** What no file name may hold. */
// eslint-disable-next-line no-control-regex -- control characters are what is meant
const UNFIT = /[/?<>\\:*|"\x00-\x1F\x7F]/g;

function dateAs(written: string, date: Date): string {
	const year = String(date.getFullYear());
	const parts: Record<string, number> = {
		d: date.getDate(),
		M: date.getMonth() + 1,
		h: date.getHours(),
		m: date.getMinutes(),
		s: date.getSeconds(),
	};
	return written.replace(DATE_PARTS, (part) => {
		if (part.startsWith('y')) return part === 'yyyy' ? year : part === 'yy' ? year.slice(2) : part;
		return String(parts[part.charAt(0)]).padStart(part.length, '0');
	});
}

/** No name of a file is longer; a hostile text could otherwise grow without end. */
const LONGEST = 10_000;

const nameOf = (value: unknown): string => (isExactNumber(value) ? value.value : String(value ?? '')).slice(0, LONGEST).replace(UNFIT, '_');

/** Texts that name other nodes' values (`%KSampler.seed%`) and dates (`%date:yyyy-MM-dd%`). */
export class TextPatterns {
	private readonly byName = new Map<string, EditorNode>();
	private readonly byTitle = new Map<string, EditorNode>();
	/** What stands for the values of each node, by widget. */
	private readonly names = new Map<EditorNode, Map<string, string>>();

	constructor(
		private readonly network: Network,
		private readonly now: Date,
	) {
		for (const node of network.graph.nodes.values()) {
			const name = node.properties['Node name for S&R'] ?? this.givenAtBirth(node);
			const title = editorTitleOf(node, network.definitionOf(node));
			if (typeof name === 'string' && !this.byName.has(name)) this.byName.set(name, node);
			if (!this.byTitle.has(title)) this.byTitle.set(title, node);
		}
	}

	/** The frontend names every other node of the server by its class, where the file leaves the name out. */
	private givenAtBirth(node: EditorNode): string | undefined {
		return NAMES_FILES.has(node.className) || this.network.definitionOf(node) === undefined ? undefined : node.className;
	}

	replaced(text: string): string {
		let room = LONGEST - text.length;
		return text.replace(PATTERN, (pattern, inside: string) => {
			const [named = '', widget, ...more] = inside.split('.');
			if (widget === undefined || more.length > 0) return named.startsWith(DATE) ? dateAs(named.slice(DATE.length), this.now) : pattern;
			const node = this.byName.get(named) ?? this.byTitle.get(named);
			const name = node && this.namesBy(node).get(widget);
			if (name === undefined || name.length > room) return pattern;
			room -= name.length;
			return name;
		});
	}

	private namesBy(node: EditorNode): Map<string, string> {
		const known = this.names.get(node) ?? new Map([...this.heldBy(node)].map(([widget, value]) => [widget, nameOf(value)]));
		this.names.set(node, known);
		return known;
	}

	private heldBy(node: EditorNode): Map<string, unknown> {
		if (node.className === PRIMITIVE) return new Map(Array.isArray(node.values) ? [['value', node.values[0]]] : []);
		const definition = this.network.definitionOf(node);
		return definition === undefined ? new Map() : widgetsOf(node, definition).held;
	}
}
