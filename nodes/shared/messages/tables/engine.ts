import type { Sentences } from './sentence';
import { commonSentences } from './common';
import { fieldOf } from '../fieldOf';
import { savedWorkflowSentences } from '../workflowSources';

const GIVES_UP = 'An engine forgets its jobs when it is restarted or its history is cleared.';

/** By code: refusals of a ComfyUI itself, and of a reverse proxy in front of it. */
export const engineSentences: Sentences = {
	...commonSentences,
	...savedWorkflowSentences,
	job_not_found: (_, { isRunNode }) => ['The service knows no such job', `${isRunNode ? '' : 'Check Job ID. '}${GIVES_UP}`],
	original_not_found: (error) => [
		`ComfyUI has no file "${error.message}" that the mask could belong to`,
		'The mask was not sent. Upload the image first, and give its reference under Original Image.',
	],
	unauthorized: (_, { name }) => [
		'The reverse proxy in front of ComfyUI asks for another Authorization',
		`Check ${fieldOf('Engine Authorization', name)}. ComfyUI itself asks for nothing.`,
	],
	forbidden: (_, { name }) => [
		'The reverse proxy in front of ComfyUI does not allow this',
		`Check its rules, and ${fieldOf('Engine Authorization', name)}.`,
	],
	not_implemented: () => [
		'ComfyUI itself does not offer this function',
		'It knows files by their names only. Run the API proxy in front of it and set Interface to v2, or leave this step out.',
	],
	payload_too_large: () => [
		'This is more than ComfyUI takes in one request',
		'Start ComfyUI with a larger --max-upload-size (in MB, 100 by default). If a reverse proxy stands in front of it, raise its limit as well (nginx: client_max_body_size, 1 MB by default).',
	],
	rate_limited: () => ['The reverse proxy in front of ComfyUI got too many requests', 'Lower Concurrency, or run the item again later.'],
	upstream_error: (error) => [
		`ComfyUI could not do this: ${error.message}`,
		'Look at its console, and at the reverse proxy in front of it if there is one.',
	],
};
