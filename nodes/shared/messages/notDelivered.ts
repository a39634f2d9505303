/** What the job of a successful item did not deliver, in words. */

interface NamedNode {
	node_id: string | null;
	/** Its title or class; null if nothing names it. */
	node: string | null;
}

const nodeName = ({ node_id: id, node }: NamedNode): string => {
	if (id === null) return 'No node';
	return node === null ? `Node ${id}` : `Node ${id} (${node})`;
};

/** Texts by reason. Each says what happened, then what to do. */
export const notDelivered = {
	nothing: (node: NamedNode): string =>
		`${nodeName(node)} reported ${node.node_id === null ? 'any' : 'no'} file, text or value. Use a node that saves files in ComfyUI, for example Save Image.`,
	behindProxy: (node: NamedNode, field: string): string =>
		`${nodeName(node)} has no output in this item, and the API proxy does not return texts or 3D files. Set Interface to Engine, or check ${field}.`,
	leftOutPreview: (node: NamedNode): string =>
		`${nodeName(node)} created only temporary previews, which are not returned. Turn on Include Temporary Previews in Options, or use a node that saves files, for example Save Image instead of Preview Image.`,
	preview: (node: NamedNode): string =>
		`${nodeName(node)} created only temporary previews, which ComfyUI deletes when it restarts. Use a node that saves files, for example Save Image instead of Preview Image.`,
	filtered: (count: number): string => `None of the ${count} outputs passes the filters. Change Filters.`,
	failedNode: (node: NamedNode, reason: string): string =>
		`${node.node_id === null ? 'The job' : nodeName(node)} failed, so outputs may be missing: ${reason}. Only the outputs that were finished before are returned.`,
	notFinished: (status: string): string =>
		`The job ended with the status "${status}", so outputs may be missing. Only the outputs that were finished before are returned.`,
	hint: (jobId: string, first: string, more: number): string =>
		`Job ${jobId}: ${first}${more === 0 ? '' : ` (and ${more} more, see not_delivered)`}`,
};

/** Why a file that the server sent is not the announced output. */
export const badContent = {
	empty: (name: string): [message: string, advice: string] => [
		`The file ${name} is empty (0 bytes)`,
		'Nothing was saved. Check the node that saves it in ComfyUI, then run the workflow again.',
	],
	wrongType: (name: string, announced: string, seen: string): [message: string, advice: string] => [
		`The file ${name} should be of type ${announced}, but contains ${seen}`,
		'Nothing was saved. Check the node that saves it, and each proxy between n8n and ComfyUI.',
	],
	truncated: (name: string): [message: string, advice: string] => [
		`The file ${name} ends too early`,
		'Nothing was saved. The server sent no length and closed the connection. Run the node again, and check each proxy between n8n and ComfyUI.',
	],
};
