import type { NamedTest } from './testsOfPromises';

const node = (suite: string, test: string): NamedTest => [`test/nodes/${suite}.test.ts`, test];
const client = (suite: string, test: string): NamedTest => [`test/client/${suite}.test.ts`, test];
const e2e = (suite: string, test: string): NamedTest => [`test/e2e/${suite}.e2e.ts`, test];

/** What the nodes do and what the interfaces say, by subject: each sentence with the tests that prove it best. */
export const BEHAVIOUR: Record<string, Record<string, readonly NamedTest[]>> = {
	Names: {
		'Names, values, defaults, output fields and codes never change; additions are recorded.': [
			[
				'test/package/surface.test.ts',
				'from now on additions only: what workflows rely on neither goes nor changes (test/package/surface.json)',
			],
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
			node(
				'shared/items/items',
				'a failing item starts nothing new, lets running ones finish, cancels no job, and names the jobs that exist',
			),
		],
		'With Continue On Fail, a failed item keeps every ID that is known.': [
			node('shared/items/items', 'Continue On Fail goes through all items; the failed one carries error, the others none'),
		],
		'An AI tool gets everything on the first output, without base64.': [
			node('run/tool', 'reports an image in a few words and a text in full, without file, base64 or signed link'),
			node('wait/wait', 'gives a hint when the cancel failed, and uses only the first output as an AI tool'),
		],
		'Every digit of a number in a workflow is kept in both directions.': [
			node('flow', 'every digit of a workflow reaches the service and comes back'),
		],
	},
	'Binary data': {
		'Files are data, or data_0, data_1 … on one item, with name and MIME type.': [
			node('download/download', 'and the form of the output are those of each item, and the items keep their order'),
			node('download/download', 'comes with the service’s bytes, its name and its MIME type'),
		],
		'Files of the same name keep their own bytes.': [
			node('run/files', 'sends each of two files once for 20 items with any names, and keeps files of the same name apart'),
			node('download/download', 'whichever link expires, each of several files with equal names and nodes is the right one (%s)'),
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
			node('submit/once', 'two nodes of one execution that submit the same workflow make two jobs: the key holds the id of the node'),
		],
		'A retry returns recorded jobs and sends only what is unresolved, under its recorded key.': [
			node(
				'submit/once',
				'Retry execution: a later execution returns recorded jobs and sends only what is unresolved, under its recorded key',
			),
		],
		'The same Custom key for several items is rejected before anything is sent.': [
			node('router/collect', 'a Custom key that is the same for two items is rejected before anything is sent'),
			node('shared/submission/keys', 'stands for one job: %s are refused only if two items share a custom key'),
		],
		'A lost answer makes one job.': [node('submit/once', 'a lost answer gives one job (%s of %s, %s)')],
		'v1 has no key: after a byte has left, nothing is sent again.': [
			node('submit/onceWithoutKeys', 'Retry execution after a lost answer gives one execution'),
		],
		'A 200 of v1 with errors is a rejected submission.': [
			node(
				'submit/onceWithoutKeys',
				'a rejection by v1 names the node, and leaves nothing unconfirmed: the next try sends the corrected workflow (%s)',
			),
		],
		'An unconfirmed submission is never sent over another interface.': [
			node('submit/onceWithoutKeys', 'made over one interface is not sent over another either (then %s)'),
		],
		'An agent that calls the tool twice with the same text and another file gets two jobs.': [
			node(
				'shared/submission/secondRuns',
				'M4: an agent that calls the tool twice with the same prompt and another file gets two jobs (%s)',
			),
		],
		'A sub-workflow that is called twice with different items makes two jobs.': [
			node(
				'shared/execution/subWorkflows',
				'M1: two calls of the inner sub-workflow with different items make a job each, also in a retry with another row before them',
			),
		],
	},
	'Waiting and stopping': {
		'A stop cancels each awaited job, and no job of another client.': [
			node('wait/wait', 'cancels the job: no node of it is executed afterwards (%s)'),
			node('wait/wait', 'cancels only the own jobs on an engine, and the job of another client continues (job routes: %s)'),
		],
		'Only Interrupt interrupts every running job of the account.': [
			node('manageJobs/queue', 'Cancel of a queued job never interrupts the job of another client (interrupt %s)'),
		],
		'Before a submission, a server that does not respond is reported within 60 seconds.': [
			node('shared/connect/waitForServer', 'every operation of every node reports a %s server in time, with its address'),
		],
		'After a submission, a lost server is reported after five minutes, and a retry continues.': [
			node('run/lostServer', 'a server that is %s fails both items after five minutes, with the reason, the time and the job (%s)'),
		],
		'A job that outlasts Max Wait fails its item if Still Running is not connected.': [
			node(
				'run/stillRunning',
				'fails its item with the job ID and what to do if Still Running is not connected, and a retry delivers both jobs of one bill',
			),
		],
		'A wait never makes more requests than polling, and shares one stream for each connection.': [
			node('wait/wait', '20 items are output in their order, over one socket that they share'),
			node('wait/wait', 'a live wait takes three requests, for a job of any length'),
		],
		'After a stream ends, polling continues the wait, and the stream is opened again.': [
			client('wait/streams', 'a stream that was lost is opened again after growing pauses'),
		],
	},
	Results: {
		'What is not delivered is named with its reason, in the item and in the answer of a tool.': [
			node('run/delivered', 'names the two nodes that reported nothing, in each way to a result'),
		],
		'Values are results.': [node('run/delivered', 'are outputs of each way to a result, with the value and the name of the node')],
		'Files of the input folder are no results.': [client('v1/outputs', 'two files of the input folder are no outputs, under any key')],
		'A failed job runs again only if the option is on, and a billed one only if the user says so.': [
			node('run/runAgain', 'Retry On Fail runs only the job again that failed, with the same seeds'),
			node('run/runAgain', 'If It Costs Nothing does not run a job again that is billed, and the message says why (%s)'),
		],
		'Free Memory ends when readings agree or the limit is over, and says which.': [
			node('run/freeMemoryPool', 'says that memory that may still change after %i s is not final'),
		],
		'Placeholders and impossible files are rejected before anything is sent.': [
			node('shared/jobs/submit/placeholders', 'B9: of two items, only the one whose row holds an expression as plain text is rejected'),
			node('run/unfitFiles', 'only the items with an unfit file fail, with the item, the row and what is wrong'),
		],
	},
	Credentials: {
		'A credential goes only to its own origin.': [
			client('v1/keys', '%s: its own origin gets the key, and neither another one nor an error'),
			node('download/faults', 'links to another origin get no credential (%s links)'),
		],
		'The test of a credential names the field that is wrong.': [node('shared/connect/credentialTest', 'on %s is reported with its field')],
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
			node(
				'trigger/services',
				'starts two triggers of one workflow for each milestone, each output and the end of the same job, each once',
			),
		],
		'A service without a list refuses All Jobs, with the advice to use Hosted Account.': [
			node('trigger/services', 'all jobs of a service without a list are refused with the advice to use Hosted Account'),
		],
		'A wrong key becomes one failed execution, and the trigger tries again slowly.': [
			node('trigger/troubles', 'becomes one failed execution that says what to do and shows no key, and the trigger lives on'),
		],
		'Jobs that finished while n8n was off are reported once, up to a day back.': [
			node('trigger/memory', 'the trigger looks back one day at most'),
		],
	},
	'Run Workflow': {
		'Each item can have its own values, files and options.': [
			node('run/apps', 'gives each item its own values, an empty text if an expression returns one, and the saved value of an empty field'),
		],
		'A field of an app sets every input that it feeds.': [
			node('run/apps', 'sends the value of each item to every input that its field feeds'),
		],
		'A row that no longer fits is named before anything is sent.': [node('run/apps', 'names what no longer fits before anything is sent')],
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
			node('getWorkflow/getWorkflow', 'keeps an unknown format and unknown fields'),
		],
		'The API format never contains extra data.': [
			node('getWorkflow/getWorkflow', 'of an ended, a running and a waiting job comes without extra data (%s, job routes: %s)'),
		],
		'The node errors of a rejected workflow are in the message, in each shape that a service uses.': [
			node('shared/messages/words', 'says what happened and what to do, with details %s'),
			node('shared/messages/rejectedWorkflows', 'a missing node class that the API proxy reports by the title of its node %s'),
		],
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
		'A mask names its original.': [
			client('v1/assets', 'each of two masks is sent with an empty `subfolder`, and with `original_ref` as JSON text'),
		],
		'Binary frames of the socket are read as documented.': [
			client('comfyui/frames/readFrame', 'reads 3 TEXT'),
			client('comfyui/frames/readFrame', 'reads 4 PREVIEW_IMAGE_WITH_METADATA'),
		],
		'A download follows the redirect without the key.': [
			node('download/download', 'comes over v1 without the key going to the storage (%s)'),
		],
	},
	Router: {
		'A run keeps its key in each attempt, until the key expires, and a lost result is collected with it.': [
			client(
				'router/idempotency',
				'each attempt sends the key of the caller, and the result reports it although the service does not return it',
			),
			client(
				'router/idempotency',
				'while the first call of a key runs, a second call waits for its result, and two keys do not affect each other',
			),
			client('router/idempotency', 'a run that outlasts its connection (504 with Retry-After) is collected by the same key'),
			client('router/idempotency', 'a key is sent no more once its life ends, however long the caller waits'),
			node('router/collect', 'a corrected input runs under the same key after a rejection'),
		],
		'An unknown bucket counts as internal_error and is kept.': [
			client('router/buckets', 'a bucket of tomorrow counts as internal_error and is kept'),
		],
		'The list is walked while has_more says so.': [
			client(
				'router/catalog',
				'continues while has_more says so, also after an empty page, and asks for pages of 100 with each cursor encoded',
			),
		],
		'The prefix is found by a read, never by a submission.': [
			client('router/access', '%s is found by a read, once for all callers, before anything is posted'),
		],
		'The details of a 422 reach the failed item unchanged.': [
			node('router/refusals', 'the details of a 422 reach the failed item unchanged, and its message names the fields'),
		],
		'A JSON answer above 64 MiB becomes a file and loses nothing.': [
			client('router/output', 'of JSON above 64 MiB becomes bytes, whether its length is announced or not, and JSON of 64 MiB is parsed'),
		],
		'Limit Runs counts over the tries of an execution, for each node.': [
			node('router/run', 'continues its count in a later try of the execution, each run once'),
		],
		'With a cost limit, no run is sent whose estimate exceeds it, also if items run in parallel.': [
			node('router/costLimits', 'no run leaves above the limit of its item, and all runs together stay within the limit of the execution'),
			node('router/cost', 'is not exceeded by items that run in parallel'),
		],
		'A run that was sent is collected at any price, without another estimate.': [
			node('router/costRetries', 'a run whose answer was lost is collected without another estimate, also above the limit'),
		],
		'A known document of a schema is revalidated by its ETag.': [
			client('router/inputSchemas', 'keeps one document with its ETag for each model of a connection'),
		],
	},
};
