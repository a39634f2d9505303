/** The port for the workflows that a server stores. v1 and engine implement it. */
import type { JsonRecord } from '../json/decode';
import type { CallOptions } from './jobService';

/** A workflow that is saved in ComfyUI, as its list describes it. */
export interface SavedWorkflow {
	/** The path below the folder of workflows, for example `portraits/fox.app.json`. The argument of `read`. */
	path: string;
	/** Saved in App Mode. */
	isApp: boolean;
	sizeBytes: number | null;
	/** ISO 8601; null if the server does not report it. */
	modifiedAt: string | null;
}

/** A workflow template of the server, or a blueprint: a subgraph that is saved on its own. */
export interface WorkflowTemplate {
	/** The argument of `template` or `blueprint`. */
	name: string;
	title: string;
	description: string;
	/** The group on screen, for example `Image`. */
	group: string;
}

/** The workflows that the server stores, mostly in editor format. Each read returns the current content. */
export interface WorkflowLibrary {
	/** The interface that its errors come from. */
	readonly interface: 'v1' | 'engine';
	/** Lists the workflows of the server's user. Empty if the folder is missing. */
	list(options?: CallOptions): Promise<SavedWorkflow[]>;
	/**
	 * Reads a workflow.
	 * @throws ApiError 404 if there is none at this path.
	 */
	read(path: string, options?: CallOptions): Promise<JsonRecord>;
	/** Lists the templates of ComfyUI and of custom packs. */
	templates(options?: CallOptions): Promise<WorkflowTemplate[]>;
	template(name: string, options?: CallOptions): Promise<JsonRecord>;
	/** Lists the blueprints that the user saved. Empty if the server has none. */
	savedBlueprints(options?: CallOptions): Promise<WorkflowTemplate[]>;
	/** Lists the blueprints of ComfyUI and of custom packs. Empty if the server is too old. */
	blueprints(options?: CallOptions): Promise<WorkflowTemplate[]>;
	/** @throws ApiError `blueprint_not_found`; GraphError `not_a_blueprint` if the file is not JSON. */
	blueprint(name: string, options?: CallOptions): Promise<JsonRecord>;
}
