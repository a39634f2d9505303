/** What the engine itself answers when it refuses a workflow. */
export interface EngineAnswer {
	error: { type: string; message: string; details: string; extra_info: Record<string, unknown> };
	node_errors: Record<string, unknown>;
}
