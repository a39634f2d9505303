import type { ApiError } from '../../../client';
import { missingNode } from './missingNode';
import { nodeReasons } from './nodeReasons';

/** The words of a credential. */
export interface CredentialWords {
	name: string;
	secret: string;
	isOwnServer: boolean;
}

/** What happened, and how to go on. */
export type Sentence = (error: ApiError, credential: CredentialWords) => [string, string];

export type Sentences = Record<string, Sentence>;

const NAMED = 'Correct the inputs named here.';
/** An engine says no more of nodes that are linked in a circle. */
const UNNAMED = 'Open the workflow in ComfyUI and run it there once: it shows which node is wrong, or how nodes are linked in a circle.';

/** Names what is missing, where the user can add it: the service's own sentence does not say where to get it. */
const invalidWorkflow: Sentence = (error, { isOwnServer }) => {
	const missing = isOwnServer ? missingNode(error) : undefined;
	if (missing === undefined) return [`The service cannot run this workflow: ${error.message}`, `No job was created. ${nodeReasons(error.details).length > 0 ? NAMED : UNNAMED}`];
	const { className, nodeId } = missing;
	return [
		`This ComfyUI has no node class "${className}"${nodeId === undefined ? '' : ` (node ${nodeId} of the workflow)`}`,
		`No job was created. Install the custom nodes that bring it (in ComfyUI Manager: Install Missing Custom Nodes, or search for "${className}") and restart ComfyUI, or correct class_type in the workflow.`,
	];
};

export const notFound = (thing: string, why: string): Sentence => () => [`The service knows no such ${thing}`, why];

/** By code: what both interfaces refuse for the same reason. */
export const commonSentences: Sentences = {
	invalid_workflow: invalidWorkflow,
	insufficient_credits: () => ['The account has not enough credits for this job', 'No job was created. Add credits to the account, then run the item again.'],
	not_found: notFound('entry', 'Check the id. It may belong to another account or server, or may have been deleted after its retention time.'),
	unauthorized: (_, { name, secret }) => [`The service did not accept the ${secret}`, `Check ${secret} in the ${name} credential: it may be mistyped, deleted, or meant for another address.`],
	forbidden: (_, { name }) => ['The service knows this account but does not allow this action', `Check in your account what the key of the ${name} credential may do, and whether the subscription is active.`],
	upstream_error: (error) => [`The service could not do this: ${error.message}`, 'The cause lies in the service. Try again later.'],
	invalid_request: (error) => [`The service could not use the request: ${error.message}`, 'Check the fields of this node.'],
};
