import { commonSentences, notFound, type Sentences } from './refusals';
import { fieldOf } from './fieldOf';

const GIVES_UP = 'An engine forgets its jobs when it is restarted or its history is cleared.';

/** By code: refusals of a ComfyUI itself, and of a reverse proxy in front of it. */
export const engineSentences: Sentences = {
	...commonSentences,
	job_not_found: notFound('job', `Check Job ID. ${GIVES_UP}`),
	original_not_found: (error) => [`ComfyUI has no file "${error.message}" that the mask could belong to`, 'The mask was not sent. Upload the image first, and give its reference under Original Image.'],
	unauthorized: (_, { name }) => ['The reverse proxy in front of ComfyUI asks for another Authorization', `Check ${fieldOf('Engine Authorization', name)}. ComfyUI itself asks for nothing.`],
	forbidden: (_, { name }) => ['The reverse proxy in front of ComfyUI does not allow this', `Check its rules, and ${fieldOf('Engine Authorization', name)}.`],
	not_implemented: () => ['ComfyUI itself does not offer this function', 'It knows files by their names only. Run the API proxy in front of it and set Interface to v2, or leave this step out.'],
	payload_too_large: () => ['This is more than ComfyUI takes in one request', 'Start ComfyUI with a larger --max-upload-size (in MB, 100 by default). If a reverse proxy stands in front of it, raise its limit as well (nginx: client_max_body_size, 1 MB by default).'],
	rate_limited: () => ['The reverse proxy in front of ComfyUI got too many requests', 'Lower Concurrency, or run the item again later.'],
	upstream_error: (error) => [`ComfyUI could not do this: ${error.message}`, 'Look at its console, and at the reverse proxy in front of it if there is one.'],
};

/** After a submission whose answer was lost: what stands before an engine may deliver it late, and the engine runs whatever arrives. */
export const lostOnEngine = (jobId: string, key: string | undefined): Array<string | undefined> => [
	`It was not sent again, because ComfyUI would run it twice. Look for job ${jobId} in the queue and history of ComfyUI (an older one gives it another id): retrying this execution looks for it again, and sends nothing.`,
	'If it is not there and will not come, start a new execution to submit it anew.',
	key !== undefined && key !== jobId ? `Its idempotency key is ${key}` : undefined,
];
