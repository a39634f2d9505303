import { fieldOf } from '../fieldOf';
import { invalidWorkflow } from '../invalidWorkflow';
import { notFound, type Sentences } from './sentence';

/** By code: what both interfaces refuse for the same reason. */
export const commonSentences: Sentences = {
	invalid_workflow: invalidWorkflow,
	insufficient_credits: () => [
		'The account has not enough credits for this job',
		'No job was created. Add credits to the account, then run the item again.',
	],
	not_found: notFound(
		'entry',
		'Check the id. It may belong to another account or server, or may have been deleted after its retention time.',
	),
	unauthorized: (_, { name, secret, isOwnServer }) => [
		`The service did not accept the ${secret}`,
		`Check ${fieldOf(secret, name)}: it may be mistyped, deleted, or meant for another address.${isOwnServer ? ' For the hosted service or a deployment use the credential Comfy API.' : ''}`,
	],
	forbidden: (_, { name }) => [
		'The service knows this account but does not allow this action',
		`It may be a job or a file of another account. If it is yours, check in your account what the key of the ${name} credential may do, and whether the subscription is active.`,
	],
	upstream_error: (error) => [`The service could not do this: ${error.message}`, 'The cause lies in the service. Try again later.'],
	invalid_request: (error) => [`The service could not use the request: ${error.message}`, 'Check the fields of this node.'],
};
