/** What a file is, as far as it may carry a workflow. */
export type CarrierKind = 'json' | 'png' | 'webp' | 'svg' | 'mp4' | 'matroska' | 'flac' | 'ogg' | 'mp3' | 'glb' | 'safetensors';

/** What a file carries of ComfyUI's graphs: both, one or none. */
export interface Carried {
	kind: CarrierKind;
	/** The graph that was run. */
	api?: unknown;
	/** The editor's file. */
	editor?: unknown;
	/** Numbers in it that JSON does not have (NaN), and that are null now. */
	lostNumbers: number;
	/** It tells what another program did: its settings are no workflow. */
	isForeign: boolean;
	/** Why a graph that is there cannot be read, as half a sentence. */
	unreadable?: string;
}
