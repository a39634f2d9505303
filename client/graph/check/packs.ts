/** Who brings a node class, where the file does not say: by how well-known packs name their classes. A guess, and told as one. */

const PACKS: ReadonlyArray<readonly [pattern: RegExp, pack: string]> = [
	[/ \(rgthree\)$/, 'rgthree-comfy'],
	[/^VHS_/, 'ComfyUI-VideoHelperSuite'],
	[/(KJ|KJv2)$|^(GetImageSizeAndCount|INTConstant|ColorMatch|ImageConcanate|WidgetToString)$/, 'ComfyUI-KJNodes'],
	[/^easy /, 'ComfyUI-Easy-Use'],
	[/^CR /, 'ComfyUI_Comfyroll_CustomNodes'],
	[/\|pysssss$/, 'ComfyUI-Custom-Scripts'],
	[/\/\/Inspire$|^[A-Za-z ]+\/\/ ?Inspire$/, 'ComfyUI-Inspire-Pack'],
	[/^Impact|^(FaceDetailer|SAMLoader|DetailerForEach|ToDetailerPipe|BboxDetector|SegmDetector|SEGS)/, 'ComfyUI-Impact-Pack'],
	[/^UltralyticsDetectorProvider$/, 'ComfyUI-Impact-Subpack'],
	[/Preprocessor$|^AIO_Preprocessor/, 'comfyui_controlnet_aux'],
	[/^IPAdapter/, 'ComfyUI_IPAdapter_plus'],
	[/^ADE_/, 'ComfyUI-AnimateDiff-Evolved'],
	[/^ACN_/, 'ComfyUI-Advanced-ControlNet'],
	[/\(Eff(icient|\.)\)$|^Efficient Loader$/, 'efficiency-nodes-comfyui'],
	[/^UltimateSDUpscale/, 'ComfyUI_UltimateSDUpscale'],
	[/LoaderGGUF/, 'ComfyUI-GGUF'],
	[/^Layer(Utility|Mask|Color|Filter|Style): /, 'ComfyUI_LayerStyle'],
	[/^WanVideo/, 'ComfyUI-WanVideoWrapper'],
	[/^HyVideo/, 'ComfyUI-HunyuanVideoWrapper'],
	[/Florence2/, 'ComfyUI-Florence2'],
	[/\[Crystools\]$/, 'ComfyUI-Crystools'],
	[/ VFI$/, 'ComfyUI-Frame-Interpolation'],
	[/^(Anything Everywhere|Prompts Everywhere|Seed Everywhere)/, 'cg-use-everywhere'],
	[/ \(mtb\)$/, 'comfy-mtb'],
	[/^ReActor/, 'ComfyUI-ReActor'],
	[/^SUPIR_/, 'ComfyUI-SUPIR'],
	[/ \(segment anything\)$/, 'comfyui_segment_anything'],
	[/^SeedVR2/, 'ComfyUI-SeedVR2_VideoUpscaler'],
	[/^ttN /, 'ComfyUI_tinyterraNodes'],
	[/ \(JPS\)$/, 'ComfyUI_JPS-Nodes'],
	[/^Inpaint(Crop|Stitch)/, 'ComfyUI-Inpaint-CropAndStitch'],
	[/^INPAINT_/, 'comfyui-inpaint-nodes'],
	[/^Nunchaku/, 'ComfyUI-nunchaku'],
	[/\(LoraManager\)$/, 'ComfyUI-Lora-Manager'],
	[/MultiGPU$/, 'ComfyUI-MultiGPU'],
	[/[a-z]\+$/, 'ComfyUI_essentials'],
];

/** More is no name. */
const LONGEST = 200;

export const likelyPack = (className: string): string | undefined =>
	className.length > LONGEST ? undefined : PACKS.find(([pattern]) => pattern.test(className))?.[1];

/** What files call ComfyUI itself, where they say which pack a class comes from. */
export const CORE = 'comfy-core';
