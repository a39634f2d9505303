import type { JsonRecord } from '../../decode';

/** Class name → definition, as `/object_info` answers. */
export type Definitions = Record<string, JsonRecord>;

export type InputKind = 'text' | 'integer' | 'number' | 'boolean' | 'choice' | 'json';
export type InputRole = 'prompt' | 'seed' | 'size' | 'file' | 'other';
export type FileKind = 'image' | 'mask' | 'audio' | 'video' | 'any';

/** What a definition says of an input's values. */
export interface InputLimits {
	/** Text where a double cannot hold it. */
	min?: number | string;
	max?: number | string;
	step?: number | string;
	/** In the type that is sent. */
	choices?: Array<string | number | boolean>;
	multiline?: boolean;
	fileKind?: FileKind;
}

/** One value of a graph that may be changed: it stands in a node, and comes from no other. */
export interface GraphInput {
	nodeId: string;
	input: string;
	/** `6.text` */
	name: string;
	/** `Positive · text`, or `Positive (#6) · text` where several nodes have that title. */
	label: string;
	value: unknown;
	kind: InputKind;
	role: InputRole;
	limits?: InputLimits;
}

export interface GraphOutput {
	nodeId: string;
	title: string;
	/** Its title, with the id where several nodes have that one. */
	label: string;
	className: string;
	/** Shown in the editor and soon forgotten: a preview. */
	isTemporary: boolean;
}
