import type { ConversionPlace } from '../../graphFaults';
import type { MissingClass } from './types';

/**
 * Which pack contains a node class, by the names that well-known packs give to their classes: for files and graphs that do
 * not say it. A result is a guess. Source: `extension-node-map.json` of ComfyUI-Manager, August 2026; no pattern matches a
 * class that ComfyUI had then under another pack's name.
 */

/** What files call ComfyUI itself, where they say which pack a class comes from. */
export const CORE = 'comfy-core';

/** Sorted by pack, the more special patterns of a shared prefix first. */
const PACKS: ReadonlyArray<readonly [pattern: RegExp, pack: string]> = [
	[/^(Anything Everywhere|Prompts Everywhere|Seed Everywhere)/, 'cg-use-everywhere'],
	// Partner nodes: names that no pack of the source uses, or only packs that hardly anyone has.
	[/^(Bria|ByteDance|HappyHorse|HeyGen|Ideogram|Kling|Luma|Magnific|Meshy|Minimax|Pixverse|Quiver|Recraft)\w*(Node(V?\d+)?|Api)$/, CORE],
	[/^(Reve|Runway|Tencent|Tripo|Vidu|Wavespeed)\w*(Node(V?\d+)?|Api)$|^(Gemini(Image\d?)?|Flux[23]\w+)Node(V\d)?$|^Wan\w+Api$/, CORE],
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

/** More is no name. */
const LONGEST = 200;

/** @returns the pack's name, `CORE` for a newer node of ComfyUI itself, or undefined. */
export const likelyPack = (className: string): string | undefined =>
	className.length > LONGEST ? undefined : PACKS.find(([pattern]) => pattern.test(className))?.[1];

/** A node of a class that a server does not have. `pack`: what the workflow says that the class comes from. */
export type UnknownClass = ConversionPlace & { pack?: string };

/** Each missing class once, with its nodes and the pack that contains it. */
export function missingClassesOf(unknown: UnknownClass[]): MissingClass[] {
	const classes = new Map<string, MissingClass>();
	for (const { pack: packInFile, nodeId, title, className, input } of unknown) {
		const pack = packInFile ?? likelyPack(className);
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
