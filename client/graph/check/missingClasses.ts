import type { ConversionPlace } from '../../graphFaults';

/** A node class that the server does not have. */
export interface MissingClass {
	className: string;
	/** The pack that contains the class; undefined if it is unknown. */
	pack?: string;
	/** The pack is guessed from the name of the class, because the file does not name it. */
	isGuess: boolean;
	nodes: ConversionPlace[];
}

/** A node whose class the server does not have. `pack`: the pack that the workflow names for it. */
export type NodeOfMissingClass = ConversionPlace & { pack?: string };

/** @returns each missing class once, with its nodes and the pack that contains it. */
export function groupMissingClasses(unknownNodes: NodeOfMissingClass[]): MissingClass[] {
	const classes = new Map<string, MissingClass>();
	for (const { pack: packInFile, nodeId, title, className, input } of unknownNodes) {
		const pack = packInFile ?? guessPack(className);
		const missing = classes.get(className) ?? {
			className,
			...(pack !== undefined && { pack }),
			isGuess: packInFile === undefined,
			nodes: [],
		};
		missing.nodes.push({ nodeId, title, className, ...(input !== undefined && { input }) });
		classes.set(className, missing);
	}
	return [...classes.values()];
}

/** The name that workflows use for ComfyUI itself in place of a pack. */
export const CORE_PACK = 'comfy-core';

/** No class has a longer name. */
const LONGEST_CLASS_NAME = 200;

/**
 * Guesses the pack of a class from the names that well-known packs give to their classes.
 * @returns the name of the pack, `CORE_PACK` for a newer node of ComfyUI itself, or undefined.
 */
export const guessPack = (className: string): string | undefined =>
	className.length > LONGEST_CLASS_NAME ? undefined : PACKS.find(([pattern]) => pattern.test(className))?.[1];

/**
 * Sorted by pack, with the more specific patterns of a shared prefix first. Source: `extension-node-map.json` of ComfyUI-Manager,
 * August 2026. No pattern matches a class that ComfyUI itself had then.
 */
const PACKS: ReadonlyArray<readonly [pattern: RegExp, pack: string]> = [
	[/^(Anything Everywhere|Prompts Everywhere|Seed Everywhere)/, 'cg-use-everywhere'],
	// Partner nodes of ComfyUI: names that no pack uses, or only rare packs.
	[
		/^(Bria|ByteDance|HappyHorse|HeyGen|Ideogram|Kling|Luma|Magnific|Meshy|Minimax|Pixverse|Quiver|Recraft)\w*(Node(V?\d+)?|Api)$/,
		CORE_PACK,
	],
	[/^(Reve|Runway|Tencent|Tripo|Vidu|Wavespeed)\w*(Node(V?\d+)?|Api)$|^(Gemini(Image\d?)?|Flux[23]\w+)Node(V\d)?$|^Wan\w+Api$/, CORE_PACK],
	[/ \(mtb\)$/, 'comfy_mtb'],
	[/^ACN_/, 'ComfyUI-Advanced-ControlNet'],
	[/^(AdvancedLivePortrait|ExpressionEditor)$/, 'ComfyUI-AdvancedLivePortrait'],
	[/^ADE_/, 'ComfyUI-AnimateDiff-Evolved'],
	[/^(BrushNet|BrushNetLoader|PowerPaint)$/, 'ComfyUI-BrushNet'],
	[/^CogVideo/, 'ComfyUI-CogVideoXWrapper'],
	[/\[Crystools\]$/, 'ComfyUI-Crystools'],
	[/^(?!WD14).*\|pysssss$/, 'ComfyUI-Custom-Scripts'],
	[/^DetailDaemon/, 'ComfyUI-Detail-Daemon'],
	[/^easy /, 'ComfyUI-Easy-Use'],
	[/^(DownloadAndLoadFlorence2(Lora|Model)|Florence2(ModelLoader|Run))$/, 'ComfyUI-Florence2'],
	[/ VFI$/, 'ComfyUI-Frame-Interpolation'],
	[/^(CLIP|DualCLIP|TripleCLIP|QuadrupleCLIP|Unet)LoaderGGUF/, 'ComfyUI-GGUF'],
	[/^HyVideo/, 'ComfyUI-HunyuanVideoWrapper'],
	[/^(Impact|FaceDetailer|SAMLoader$|DetailerForEach|ToDetailerPipe|BboxDetector|SegmDetector|SEGS|PreviewBridge)/, 'ComfyUI-Impact-Pack'],
	[/^UltralyticsDetectorProvider$/, 'ComfyUI-Impact-Subpack'],
	[/^Inpaint(Crop|Stitch)/, 'ComfyUI-Inpaint-CropAndStitch'],
	[/\/\/ ?Inspire$/, 'ComfyUI-Inspire-Pack'],
	[
		/KJ(v\d)?$|^(ColorMatch|Get(Image|Latent)SizeAndCount|Image(Concanate|ConcatMulti|BatchMulti)|INTConstant|WidgetToString)$/,
		'ComfyUI-KJNodes',
	],
	[/^LivePortrait(Composite|Cropper|Process|Retargeting)$/, 'ComfyUI-LivePortraitKJ'],
	[/\(LoraManager\)$/, 'ComfyUI-Lora-Manager'],
	[/^mx(Seed|Slider|Slider2D|Stop)$/, 'ComfyUI-mxToolkit'],
	[/MultiGPU$/, 'ComfyUI-MultiGPU'],
	[/^Nunchaku/, 'ComfyUI-nunchaku'],
	[/^AILab_QwenVL/, 'ComfyUI-QwenVL'],
	[/^ReActor/, 'ComfyUI-ReActor'],
	[/^AILab_/, 'ComfyUI-RMBG'],
	[/^SeedVR2(Load|TorchCompile|VideoUpscaler)/, 'ComfyUI-SeedVR2_VideoUpscaler'],
	[/^Sam2(Auto|Video)?Segmentation/, 'ComfyUI-segment-anything-2'],
	[/^SUPIR_/, 'ComfyUI-SUPIR'],
	[/^TeaCache/, 'ComfyUI-TeaCache'],
	[/^VHS_/, 'ComfyUI-VideoHelperSuite'],
	[/^WD14Tagger\|/, 'ComfyUI-WD14-Tagger'],
	[/^WanVideo/, 'ComfyUI-WanVideoWrapper'],
	[/^CR /, 'ComfyUI_Comfyroll_CustomNodes'],
	[/Preprocessor$/, 'comfyui_controlnet_aux'],
	[/[a-z]\+$/, 'ComfyUI_essentials'],
	[/^(ApplyInstantID|InstantID(FaceAnalysis|ModelLoader)$)/, 'ComfyUI_InstantID'],
	[/^IPAdapter(?!.*Flux)/, 'ComfyUI_IPAdapter_plus'],
	[/ \(JPS\)$/, 'ComfyUI_JPS-Nodes'],
	[/^Layer(Utility|Mask|Color|Filter|Style): /, 'ComfyUI_LayerStyle'],
	[/ \(segment anything\)$/, 'comfyui_segment_anything'],
	[/^ttN /, 'ComfyUI_tinyterraNodes'],
	[/^UltimateSDUpscale/, 'ComfyUI_UltimateSDUpscale'],
	[/^INPAINT_/, 'comfyui-inpaint-nodes'],
	[
		/^(Eff(icient|\.) Loader|(Control Net|LoRA) Stacker$|(HighRes-Fix|Noise Control|Tiled Upscaler) Script$|XY Input: )|\(Eff(icient|\.)\)$/,
		'efficiency-nodes-comfyui',
	],
	[/^LanPaint_/, 'LanPaint'],
	[/^(Clown\w*_Beta|ClownGuide|ClownsharK)/, 'RES4LYF'],
	[/ \(rgthree\)$/, 'rgthree-comfy'],
];
