import { ApiError, type JobOutput, UnreadableAnswerError } from '../../../client';

type MessageAndAdvice = [message: string, advice: string];

/** An answer of the service, or of its storage, by which no try will ever get the file. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

const isGone = (cause: unknown): boolean =>
	(cause instanceof ApiError && GONE.has(cause.status)) || (cause instanceof UnreadableAnswerError && GONE.has(cause.facts.status) && cause.facts.reason !== 'html');

const hasDots = ({ name, file_reference: reference }: JobOutput): boolean => JSON.stringify([name, reference]).includes('..');

const ofNode = ({ name, node_id: nodeId }: JobOutput): string => `"${name}"${nodeId === '' ? '' : ` of node ${nodeId}`}`;

/** Why one output of a job cannot be saved, where that lies in this output alone. */
export const lostOutput = {
	/** ComfyUI refuses such a name at once, but the API proxy passes that on as a failure that may pass. @returns undefined for others. */
	name(output: JobOutput): MessageAndAdvice | undefined {
		if (!hasDots(output)) return undefined;
		return [`ComfyUI does not hand out ${ofNode(output)}: it refuses every name that holds ".."`, 'The file is in its output folder. Change filename_prefix of that node, then submit the workflow again.'];
	},
	/** @returns undefined for any other reason. */
	file(output: JobOutput, cause: unknown): MessageAndAdvice | undefined {
		if (!isGone(cause)) return undefined;
		return [`The server no longer has the bytes of ${ofNode(output)}`, 'It was deleted, or its time is over. Run the workflow again to make it anew.'];
	},
	text: (output: JobOutput): MessageAndAdvice => [
		`The text ${ofNode(output)} was too long for the item, and ComfyUI does not know the job any more`,
		'Put Comfy Download Outputs right after Comfy Wait For Job, and submit the workflow again.',
	],
};
