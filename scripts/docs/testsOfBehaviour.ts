import type { NamedTest } from './testsOfPromises';

const node = (suite: string, test: string): NamedTest => [`test/nodes/${suite}.test.ts`, test];
const client = (suite: string, test: string): NamedTest => [`test/client/${suite}.test.ts`, test];
const e2e = (suite: string, test: string): NamedTest => [`test/e2e/${suite}.e2e.ts`, test];

/** What the nodes do and what the interfaces say, by subject: each sentence with the tests that prove it best. */
export const BEHAVIOUR: Record<string, Record<string, readonly NamedTest[]>> = {
	Names: {
		'Names, values, defaults, output fields and codes never change; additions are recorded.': [
			['test/package/surface.test.ts', 'the surface of the package is the recorded one'],
		],
	},
	Items: {
		'Each item about a job has the same fields on every interface.': [node('flow', 'items have the same fields over %s as over v2')],
		'A successful item never has a top-level error.': [
			node('shared/items/items', 'a field named error in an asset does not become a top-level error (%s)'),
		],
		'Unknown fields, statuses and codes of the service reach the item.': [
			node('shared/items/items', 'unknown fields, statuses and codes of the service reach the item'),
		],
		'Results have the order of the input and are paired with it.': [
			node('shared/items/items', 'Concurrency %i bounds items in flight; results come in input order, paired'),
		],
		'A failing item starts nothing new, cancels no other job, and names the jobs that exist.': [
			node('shared/items/items', 'a failing item starts nothing new, lets running ones finish, cancels no job, and names the jobs that exist'),
		],
		'With Continue On Fail, a failed item keeps every ID that is known.': [
			node('shared/items/items', 'Continue On Fail goes through all items; the failed one carries error, the others none'),
		],
		'An AI tool gets everything on the first output, without base64.': [
			node('run/tool', 'reports a picture in a few words, without file, base64 or signed link'),
			node('wait/wait', 'as an AI tool the node uses only the first output'),
		],
		'Every digit of a number in a workflow is kept in both directions.': [
			node('flow', 'every digit of a workflow reaches the service and comes back'),
		],
	},
	'Binary data': {
		'Files are data, or data_0, data_1 … on one item, with name and MIME type.': [
			node('download/download', 'are data_0, data_1, … with one record each'),
			node('download/download', 'comes with the service’s bytes, its name and its MIME type'),
		],
		'Files of the same name keep their own bytes.': [
			node('run/files', 'keeps files with the same name and different bytes apart'),
			node('run/delivered', 'get the right file after the links of both have expired'),
		],
		'Large files stream in little memory, in both directions.': [
			node('shared/files/largeFiles', 'uploads ${LARGE_MIB} MiB in little memory'),
			node('shared/files/largeFiles', 'downloads ${LARGE_MIB} MiB in little memory'),
		],
		'What n8n cannot keep in memory is rejected before the download, with the setting.': [
			node('binaryModes/memory', 'is rejected before the download, with the setting to change'),
		],
		'The names of files in the service are made safe.': [node('download/download', 'the name %j is saved under a safe name')],
	},
	'Single submission': {
		'Two nodes of one execution that submit the same workflow make two jobs.': [
			node('submit/once', 'T2: two nodes of one execution that submit the same workflow make two jobs: the key holds the id of the node'),
		],
		'A retry returns recorded jobs and sends only what is unresolved, under its recorded key.': [
			node('submit/once', 'Retry execution: a later execution returns recorded jobs and sends only what is unresolved, under its recorded key'),
		],
		'The same Custom key for several items is rejected before anything is sent.': [
			node('router/collect', 'a Custom key that is the same for two items is rejected before anything is sent'),
			node('shared/submission', 'a Custom key that is the same for two items is rejected before anything is sent'),
		],
		'A lost answer makes one job.': [node('submit/once', 'a lost answer gives one job (%s of %s, %s)')],
		'v1 has no key: after a byte has left, nothing is sent again.': [
			node('submit/onceWithoutKeys', 'Retry execution after a lost answer gives one execution'),
		],
		'A 200 of v1 with errors is a rejected submission.': [
			node('submit/onceWithoutKeys', 'a rejection by v1 names the node, and leaves nothing unconfirmed: the next try sends the corrected workflow (%s)'),
		],
		'An unconfirmed submission is never sent over another interface.': [
			node('submit/onceWithoutKeys', 'made over one interface is not sent over another either (then %s)'),
		],
		'An agent that calls the tool twice with the same text and another file gets two jobs.': [],
		'A sub-workflow that is called twice with different items makes two jobs.': [
			node('shared/execution/nestedSubWorkflows', 'M1: two calls of the inner sub-workflow with different items make a job each, also in a retry without stored data'),
		],
	},
	'Waiting and stopping': {
		'A stop cancels each awaited job, and no job of another client.': [
			node('wait/wait', 'cancels the job: no node of it is executed afterwards (%s)'),
			node('wait/engineAndV1', 'a stop cancels only the own job, and the job of another client continues (job routes: %s)'),
		],
		'Only Interrupt interrupts every running job of the account.': [
			node('manageJobs/queue', 'is interrupted by no other operation, not even with every job in trouble'),
		],
		'Before a submission, a server that does not respond is reported within 60 seconds.': [
			node('shared/connect/waitForServer', 'every operation of every node reports a %s server in time, with its address'),
		],
		'After a submission, a lost server is reported after five minutes, and a retry continues.': [
			node('run/lostServer', 'that is %s fails both items after five minutes, with the reason, the time and the job'),
		],
		'A job that outlasts Max Wait fails its item if Still Running is not connected.': [
			node('run/stillRunning', 'fails its item with the job ID and what to do if Still Running is not connected, and a retry delivers both jobs of one bill'),
		],
		'A wait never makes more requests than polling, and shares one stream for each connection.': [
			node('wait/engineAndV1', 'Wait with 20 items outputs them in their order, over one socket that they share'),
			node('wait/wait', 'a live wait takes three requests, for a job of any length'),
		],
		'After a stream ends, polling continues the wait.': [],
	},
	Results: {
		'What is not delivered is named with its reason, in the item and in the answer of a tool.': [
			node('run/delivered', 'names the two nodes that reported nothing, in each way to a result'),
		],
		'Values are results.': [node('run/delivered', 'are outputs of each way to a result, with the value and the name of the node')],
		'Files of the input folder are no results.': [node('run/delivered', 'B5: files of the input folder are no results, beside two results')],
		'A failed job runs again only if the option is on, and a billed one only if the user says so.': [
			node('run/runAgain', 'Retry On Fail runs only the job again that failed, with the same seeds'),
			node('run/runAgain', 'If It Costs Nothing does not run a job again that is billed, and the message says why (%s)'),
		],
		'Free Memory ends when readings agree or the limit is over, and says which.': [
			node('manageJobs/freeMemory', 'G1: memory that may still change after %i s is not final'),
		],
		'Placeholders and impossible files are rejected before anything is sent.': [
			node('shared/jobs/submit/placeholders', 'B9: of two items, only the one whose row holds an expression as plain text is rejected'),
			node('run/unfitFiles', 'is rejected by its first bytes in a binary field, while the other item runs'),
		],
	},
	Credentials: {
		'A credential goes only to its own origin.': [
			client('v1/keys', '%s: its own origin gets the key, and neither another one nor an error'),
			node('download/faults', 'to another origin get no credential (%s links)'),
		],
		'The test of a credential names the field that is wrong.': [
			node('shared/connect/credentialTest', 'on %s is reported with its field'),
		],
		'The test of a key is a read of a job that cannot exist.': [
			node(
				'shared/connect/credentialTest',
				'a good credential of %s passes after one request for a job that cannot exist (404s as the %s words them)',
			),
		],
		'No secret is in a log, an execution, an item, a message or a file of n8n.': [
			e2e('secretMarkers', 'no secret is in a log, an execution, an item, a message or a file of n8n'),
		],
	},
	Trigger: {
		'Each milestone, output and end starts one execution, for each trigger.': [
			node('trigger/services', 'starts one execution for each milestone and one at the end'),
			node('trigger/services', 'M12: starts two triggers of one workflow for the same job, each once'),
		],
		'A service without a list refuses All Jobs, with the advice to use Hosted Account.': [
			node('trigger/services', 'of a service without a list are refused with the advice to use Hosted Account'),
		],
		'A wrong key becomes one failed execution, and the trigger tries again slowly.': [
			node('trigger/troubles', 'becomes one failed execution that says what to do and shows no key, and the trigger lives on'),
		],
		'Jobs that finished while n8n was off are reported once, up to a day back.': [
			node('trigger/memory', 'the trigger looks back one day at most'),
		],
	},
	'Run Workflow': {
		'Each item can have its own values, files and options.': [node('run/apps', 'gives each item its own values')],
		'A field of an app sets every input that it feeds.': [node('run/apps', 'sends a value to every input that its field feeds')],
		'A row that no longer fits is named before anything is sent.': [
			node('run/apps', 'names what no longer fits before anything is sent'),
		],
		'A generated seed stays the same in every retry of its item.': [
			node('run/seeds', 'a retry of the execution submits nothing twice, and reports the seeds that ran although the workflow has changed'),
		],
		'A full queue fails no item within Max Wait.': [
			node('run/batch', '${COUNT} items succeed in order with at most three jobs in flight, and the service rejects almost no request'),
		],
	},
	'Interface v2': {
		'GET /api/v2/jobs/{id}/workflow answers with format save or api, and the node branches on it.': [
			node('getWorkflow/getWorkflow', 'of a job that was submitted comes back as it was sent, in format api (%s)'),
			node('getWorkflow/getWorkflow', 'of a job pinned to a saved version is that version, in format save'),
			node('getWorkflow/getWorkflow', 'of a job whose saved version has been deleted is the executed graph, in format api'),
			node('getWorkflow/getWorkflow', 'keeps an unknown format and the fields beside it'),
		],
		'The API format never contains extra data.': [node('getWorkflow/getWorkflow', 'never brings extra data with it')],
		'Each code of an error has its own message.': [
			node('shared/messages/messages', 'says what happened and what to do, with details %s'),
		],
		'Node errors of a rejected workflow reach the item.': [node('shared/messages/failures', '')],
		'An asset is stored once, by its content.': [
			node('upload/upload', 'an upload returns the asset and its reference for a job, and sends no bytes the second time (%s)'),
		],
		'A signed link is fetched without any credential.': [client('v1/keys', 'a link to another origin is fetched without it')],
	},
	'Interface v1': {
		'Each word of the status is an end or in flight.': [client('v1/reads', 'a job is %s for each word of the service')],
		'The key of partner nodes is sent with a submission.': [
			client('v1/submit', 'a submission carries the key of partner nodes, and no idempotency key'),
		],
		'A mask names its original.': [client('v1/assets', 'a mask is sent with an empty `subfolder`, and with `original_ref` as JSON text')],
		'Binary frames of the socket are read as documented.': [],
		'A download follows the redirect without the key.': [
			node('download/download', 'comes over v1 without the key going to the storage (%s)'),
		],
	},
	Router: {
		'The nine rules of idempotency hold.': [
			client('router/idempotency', 'rule 1: every attempt carries the key of the caller, and the result reports it although the service does not'),
			client('router/idempotency', 'rule 6: a key is free again after a refusal before dispatch'),
			client('router/idempotency', 'rule 8: no attempt ever has a new key, though the time runs out'),
		],
		'An unknown bucket counts as internal_error and is kept.': [
			client('router/buckets', 'a bucket of tomorrow counts as internal_error and is kept'),
		],
		'The list is walked while has_more says so.': [client('router/catalog', 'goes on while has_more says so, though a page is empty')],
		'The prefix is found by a read, never by a submission.': [
			client('router/access', '%s is found by a read, once for all callers, before anything is posted'),
		],
		'The details of a 422 reach the failed item unchanged.': [
			node('router/refusals', 'the details of a 422 reach the failed item unchanged, and its message names the fields'),
		],
		'A JSON answer above 64 MiB becomes a file and loses nothing.': [
			client('router/output', 'of 65 MiB of JSON, its length %s, becomes bytes and loses none'),
		],
		'Limit Runs counts over the tries of an execution, for each node.': [
			node('router/run', 'continues its count in a later try of the execution, each run once'),
		],
		'A known document of a schema is revalidated by its ETag.': [
			client('router/inputSchemas', 'sends the ETag of the last document of a model on its connection, and uses that one for a 304'),
		],
	},
};
