import type { ConversionPlace } from '../../errors/graphFaults';

/** A node class that the server does not have. */
export interface MissingClass {
	className: string;
	/** The pack that contains the class; undefined if it is unknown. */
	pack?: string;
	/** The pack is guessed from the name of the class, because the file does not name it. */
	isGuess: boolean;
	/** The class that replaces it, if ComfyUI has retired it. */
	replacedBy?: string;
	nodes: ConversionPlace[];
}

/** A node whose class the server does not have. `pack`: the pack that the workflow names for it. `replacedBy`: from the server. */
export type NodeOfMissingClass = ConversionPlace & { pack?: string; replacedBy?: string };

/**
 * The classes that ComfyUI itself has retired, for servers that do not report them. Source: `comfy_extras/nodes_replacements.py` of
 * ComfyUI, which has the same list.
 */
const RETIRED_CLASSES: ReadonlyMap<string, string> = new Map([
	['ConditioningAverage ', 'ConditioningAverage'],
	['ImageBatch', 'BatchImagesNode'],
	['ImageScaleBy', 'ResizeImageMaskNode'],
	['Load3DAnimation', 'Load3D'],
	['Preview3DAnimation', 'Preview3D'],
	['ResizeImagesByLongerEdge', 'ImageScaleToMaxDimension'],
	['SDV_img2vid_Conditioning', 'SVD_img2vid_Conditioning'],
	['T2IAdapterLoader', 'ControlNetLoader'],
]);

/** @returns each missing class once, with its nodes and the pack that contains it. */
export function groupMissingClasses(unknownNodes: NodeOfMissingClass[]): MissingClass[] {
	const classes = new Map<string, MissingClass>();
	for (const { nodeId, title, className, input, pack: packInFile, replacedBy = RETIRED_CLASSES.get(className) } of unknownNodes) {
		const pack = packInFile ?? guessPack(className);
		const missing = classes.get(className) ?? {
			className,
			...(pack !== undefined && { pack }),
			isGuess: packInFile === undefined,
			...(replacedBy !== undefined && { replacedBy }),
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
	[
		/^(?!.*\/\/)(Impact|FaceDetailer|MaskDetailer|DetailerForEach|SAMLoader$|PreviewBridge|SEGS|Segs|Two(Advanced)?SamplersForMask|Regional(Prompt|Sampler)|(Bbox|Segm|SAM|ONNX|CLIPSeg)Detector)/,
		'ComfyUI-Impact-Pack',
	],
	[
		/^((To|From|Edit)(Basic|Detailer)|AnyPipeToBasic|(Basic|Detailer)PipeTo)|(Hook|KSampler|KSamplerAdvanced|KSampleUpscaler)Provider(Pipe)?$/,
		'ComfyUI-Impact-Pack',
	],
	[
		/^((BitwiseAnd|Subtract)Mask(ForEach)?|AddMask|ToBinaryMask|EmptySegs|RemoveNoiseMask|(Image|Latent)(Sender|Receiver)|Iterative(Image|Latent)Upscale|(Mask|MediaPipeFaceMesh)ToSEGS)$/,
		'ComfyUI-Impact-Pack',
	],
	[
		/^(StringListToString|ImageListToImageBatch|MaskListToMaskBatch|MasksToMaskList|CombineRegionalPrompts|ImageMaskSwitch|Latent(Switch|PixelScale)|ReencodeLatent(Pipe)?|WildcardPromptFromString|DetailerHookCombine)$/,
		'ComfyUI-Impact-Pack',
	],
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
	// Its names are plain words, so only whole names or their first words tell.
	[
		/^Text (Add Token|Compare$|Concatenate$|Contains$|Dictionary |File History|Find|Input Switch|List|Load Line|Multiline|Parse |Random |Shuffle$|Sort$|String|to (Conditioning|Console|Number|String)$)/,
		'was-node-suite-comfyui',
	],
	[
		/^Image (Analyze|Aspect Ratio|Batch|Blank|Blend|Blend by Mask|Blending Mode|Bloom Filter|Bounds|Canny Filter|Chromatic Aberration|Color Palette|Edge Detection Filter|Film Grain|Filter Adjustments|Flip|Gradient Map|High Pass Filter|Input Switch|Levels Adjustment|Load|Median Filter|Padding|Pixelate|Resize|Rotate|Rotate Hue|Save|Seamless Texture|Shadows and Highlights|Size to Number|Stitch|Style Filter|Threshold|Tiled|Transpose|to Latent Mask|to Noise|to Seed)$/,
		'was-node-suite-comfyui',
	],
	[
		/^Image (Crop|Paste) (Crop|Face|Location|Square Location|Crop by Location)$|^Image (Perlin|Power|Voronoi) |^Image (Rembg|Remove Background) \([RA]|^Image (Select|Remove) (Channel|Color)$|^Bounded Image /,
		'was-node-suite-comfyui',
	],
	[
		/^Mask (Arbitrary|Ceiling|Crop|Dilate|Dominant|Erode|Fill|Floor|Gaussian|Minority|Paste|Smooth|Threshold) |^(Mask (Batch|Invert|Rect Area)|Masks (Add|Combine Batch|Combine Regions|Subtract))$/,
		'was-node-suite-comfyui',
	],
	[
		/^(Number (Counter|Input Condition|Multiple Of|Operation|PI|to \w+)|(Constant|Random) Number|Logic (Boolean|NOT|Comparison \w+)|(Cache|Bus) Node|(Load|Save) Text File|Write to (GIF|Video)|Seed|Load Image Batch|Upscale Model Loader)$/,
		'was-node-suite-comfyui',
	],
	[
		/^(CLIP|CLIP Vision|Conditioning|Control Net Model|Latent|Lora|Model|Number|VAE) Input Switch$|^(BLIP|MiDaS|SAM|CLIPSeg) (Model Loader|Parameters|Image Mask|Mask)/,
		'was-node-suite-comfyui',
	],
];
