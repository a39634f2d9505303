/** What the model of an AI agent is told to do next; it reads nothing but the answer of its tool. */

export const ASK_AGAIN =
	'The job goes on. Ask again with this job_id, by a tool that waits for jobs or looks at them; without one, tell the person this job_id. Do not run the workflow again: that would make, and cost, a second job.';

export const FILES_BY_ID =
	'The files are kept in the service and are not handed to you: the n8n workflow can deliver them by this job_id. Name the job_id, show no pictures and invent no links.';

export const CALLED_AGAIN = 'Calling the tool again makes a new job, which may cost again.';
