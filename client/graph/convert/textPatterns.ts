import type { JsonRecord } from '../../json/decode';
import { isExactNumber } from '../../json/numbers';
import { type EditorNode, getEditorTitle } from './editorGraph';
import type { Network } from './network';
import { PRIMITIVE } from './virtualNodes';
import { readWidgets } from './widgets/readWidgets';
import { isPackClass } from './widgets/scriptWidgets';

/** In the file names of these classes, the frontend replaces patterns with dates and with values of other nodes. */
const SAVING_CLASSES: ReadonlySet<string> = new Set([
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

/** The scripts of these packs do the same. Sources: VideoHelperSuite at 4ee72c0, and KJNodes at 3f20054. */
const PACK_SAVING_CLASSES: ReadonlySet<string> = new Set([
	'DecodeAndSaveVideo',
	'LoraExtractKJ',
	'ModelSaveKJ',
	'SaveImageKJ',
	'SaveImageWithAlpha',
	'SaveStringKJ',
	'VHS_VideoCombine',
]);

const savesFiles = (className: string): boolean => SAVING_CLASSES.has(className) || PACK_SAVING_CLASSES.has(className);

export const isFileName = ({ className }: EditorNode, input: string): boolean => input === 'filename_prefix' && savesFiles(className);

const FILE_INPUT = /file_?name|prefix|path|folder|directory/i;

/** Whether the script of a pack may replace patterns in an input, which its definition does not say. */
export const mayBeFileName = (definition: JsonRecord, input: string): boolean => isPackClass(definition) && FILE_INPUT.test(input);

const PATTERN = /%([^%]+)%/g;
const NODE_PATTERN = /%[^%.]+\.[^%.]+%/;

/** Whether the file name of a node contains values of other nodes, which may be muted. */
export const usesOtherNodes = ({ className, values }: EditorNode): boolean =>
	savesFiles(className) && Object.values(values ?? {}).some((value) => typeof value === 'string' && NODE_PATTERN.test(value));

const DATE = 'date:';
const DATE_PARTS = /dd?|MM?|hh?|mm?|ss?|yyy?y?/g;
/** Characters that a file name cannot contain. */
// eslint-disable-next-line no-control-regex -- control characters are what is meant
const INVALID_CHARACTERS = /[/?<>\\:*|"\x00-\x1F\x7F]/g;

function formatDate(format: string, date: Date): string {
	const year = String(date.getFullYear());
	const parts: Record<string, number> = {
		d: date.getDate(),
		M: date.getMonth() + 1,
		h: date.getHours(),
		m: date.getMinutes(),
		s: date.getSeconds(),
	};
	return format.replace(DATE_PARTS, (part) => {
		if (part === 'yyyy') return year;
		if (part === 'yy') return year.slice(2);
		if (part.startsWith('y')) return part;
		return String(parts[part.charAt(0)]).padStart(part.length, '0');
	});
}

/** No file name is longer. Without a limit, the text of a hostile file could grow without end. */
const LONGEST = 10_000;

const toFileName = (value: unknown): string =>
	(isExactNumber(value) ? value.value : String(value ?? '')).slice(0, LONGEST).replace(INVALID_CHARACTERS, '_');

/** Replaces patterns in texts: values of other nodes (`%KSampler.seed%`) and dates (`%date:yyyy-MM-dd%`). */
export class TextPatterns {
	private readonly byName = new Map<string, EditorNode>();
	private readonly byTitle = new Map<string, EditorNode>();
	/** By node and widget, the text for a value. */
	private readonly valueTexts = new Map<EditorNode, Map<string, string>>();

	constructor(
		private readonly network: Network,
		private readonly now: Date,
	) {
		for (const node of network.graph.nodes.values()) {
			const name = node.properties['Node name for S&R'] ?? this.getDefaultName(node);
			const title = getEditorTitle(node, network.findDefinition(node));
			if (typeof name === 'string' && !this.byName.has(name)) this.byName.set(name, node);
			if (!this.byTitle.has(title)) this.byTitle.set(title, node);
		}
	}

	/** If the file has no name, the frontend uses the class, except for the saving classes. */
	private getDefaultName(node: EditorNode): string | undefined {
		return SAVING_CLASSES.has(node.className) || this.network.findDefinition(node) === undefined ? undefined : node.className;
	}

	replace(text: string): string {
		let roomLeft = LONGEST - text.length;
		return text.replace(PATTERN, (pattern, inside: string) => {
			const [named = '', widget, ...more] = inside.split('.');
			if (widget === undefined || more.length > 0) return named.startsWith(DATE) ? formatDate(named.slice(DATE.length), this.now) : pattern;
			const node = this.byName.get(named) ?? this.byTitle.get(named);
			const value = node && this.getValueTexts(node).get(widget);
			if (value === undefined || value.length > roomLeft) return pattern;
			roomLeft -= value.length;
			return value;
		});
	}

	private getValueTexts(node: EditorNode): Map<string, string> {
		const texts = this.valueTexts.get(node) ?? new Map([...this.getValues(node)].map(([widget, value]) => [widget, toFileName(value)]));
		this.valueTexts.set(node, texts);
		return texts;
	}

	private getValues(node: EditorNode): Map<string, unknown> {
		if (node.className === PRIMITIVE) return new Map(Array.isArray(node.values) ? [['value', node.values[0]]] : []);
		const definition = this.network.findDefinition(node);
		return definition === undefined ? new Map() : readWidgets(node, definition).allValues;
	}
}
