/** A test by its file and its title, or the label of its row in a table, exactly as the file writes it. */
export type NamedTest = readonly [file: string, test: string];

/** Tests by the sentence of docs/promises.md that they prove. */
export const TESTS: Record<string, readonly NamedTest[]> = {
	'Each item submits its job once.': [
		[
			'test/nodes/submit/once.test.ts',
			'Retry execution: a later execution returns recorded jobs and sends only what is unresolved, under its recorded key',
		],
		['test/e2e/crashes.e2e.ts', 'each execution is retried after n8n is killed with -9 (settings: $name)'],
	],
	'A retry asks all servers for the job.': [
		['test/client/pool/lostServers.test.ts', 'after a lost answer finds the job on server %d'],
		['test/client/pool/lostServers.test.ts', 'without a record sends nothing while one server does not respond, and names it'],
	],
	'If a server refuses a job, another server gets the job.': [
		['test/nodes/run/poolItems.test.ts', 'HTTP %d of one server: the others run all 15 items, and one hint names it'],
		['test/client/pool/refusals.test.ts', 'that two servers give: the third one takes the job, and they get no more'],
	],
	'After a server may have accepted it, a job with partner nodes is never submitted to a second server.': [
		['test/client/pool/lostServers.test.ts', 'a graph with partner nodes is reported instead'],
	],
	'If a server stops responding after the job was sent, the item fails and names the server.': [
		['test/client/pool/lostServers.test.ts', 'the server stays down: the job is unconfirmed, names the server, and goes to no other one'],
		['test/client/pool/lostServers.test.ts', 'the server stays down: after 10 s another server runs the job once'],
		['test/nodes/run/lostServer.test.ts', 'one server that is %s during its job fails its item with its address, and the others deliver'],
	],
	'If you stop an execution, its jobs are canceled in the service.': [
		['test/nodes/wait/wait.test.ts', 'cancels the job: no node of it is executed afterwards (%s)'],
		['test/e2e/stop.e2e.ts', 'stopping the execution cancels the job it waits for; nothing of it is executed afterwards'],
	],
	'The service reports the end of a job, and the next node starts within milliseconds.': [
		['test/nodes/wait/wait.test.ts', 'a live wait takes three requests, for a job of any length'],
	],
	'The trigger starts one execution for each milestone, each output and each end of a job.': [
		['test/e2e/trigger.e2e.ts', 'two triggers report each event once through two lost connections, and deactivating one leaves the other'],
	],
	'The nodes check the size and the hash that the service announces.': [
		['test/nodes/download/download.test.ts', 'comes with the service’s bytes, its name and its MIME type'],
		['test/nodes/download/faults.test.ts', 'of another %s than announced fail, and nothing is saved'],
		['test/nodes/shared/files/largeFiles.test.ts', 'downloads ${LARGE_MIB} MiB in little memory'],
	],
	'If a job saves nothing, or an output cannot be used, not_delivered names the node and the reason.': [
		['test/nodes/run/delivered.test.ts', 'names the two nodes that reported nothing, in each way to a result'],
	],
	'The results keep the order of the input and are paired with it.': [
		['test/nodes/shared/items/items.test.ts', 'an item that takes longer than those after it keeps its place'],
		[
			'test/nodes/run/batch.test.ts',
			'${COUNT} items succeed in order with at most three jobs in flight, and the service rejects almost no request',
		],
	],
	'It contains no key and no signed link.': [
		['test/nodes/shared/messages/words.test.ts', 'says what happened and what to do, with details %s'],
		['test/nodes/shared/secrets.test.ts', 'has a message without the key (%s)'],
	],
	'The sandbox is a local mock service that needs no account and no GPU.': [
		['test/contract/operations.test.ts', 'each answer has the form that is described'],
	],
	'The node does not submit the item with another key.': [
		[
			'test/nodes/submit/once.test.ts',
			'fails as "may have been submitted" with the key when the response is lost and the service lists no jobs, and is never sent under another key',
		],
	],
	'The failed job stays the result of the item.': [
		[
			'test/nodes/shared/messages/failures.test.ts',
			'is not run again by a retry of the execution, but by a new execution, and the message says so',
		],
	],
	'The new job has the same seeds, so it is the same image.': [
		['test/nodes/run/runAgain.test.ts', 'Retry On Fail runs only the job again that failed, with the same seeds'],
		['test/nodes/wait/runAgain.test.ts', 'Retry On Fail runs only the job again that failed, with the same seeds'],
		[
			'test/e2e/runAgain.e2e.ts',
			'Retry On Fail runs only the job again that an engine without enough memory failed, and both images arrive',
		],
	],
	'A job is never run again within the same try.': [
		['test/nodes/run/runAgain.test.ts', 'a job that fails in its first try is never repeated within this try (%s)'],
	],
	'If n8n crashes in this retry, the next retry finds the new job.': [
		[
			'test/nodes/run/runAgain.test.ts',
			'a retry after a crash of n8n in the second try finds the second job, the record of the execution %s',
		],
		['test/nodes/run/runAgain.test.ts', 'a retry after a crash of n8n in the second try finds the second job without its record'],
	],
	'Jobs that a person canceled do not run again.': [
		['test/nodes/run/runAgain.test.ts', 'a job that a person canceled does not run again (%s)'],
	],
	'The retry finds the job and delivers its files.': [
		[
			'test/nodes/shared/submission/crash.test.ts',
			'a second retry recovers the job of a first retry in which n8n crashed, also if the first start was rejected',
		],
		[
			'test/nodes/shared/submission/changedRows.test.ts',
			'creates three jobs and delivers each image once when it is retried after a crash in the second run, %s (%s)',
		],
		['test/e2e/crashes.e2e.ts', 'each execution is retried after n8n is killed with -9 (settings: $name)'],
		[
			'test/editor/afterCrash.editor.ts',
			'a crashed execution is retried from its list in two clicks, and its job is delivered and billed once',
		],
	],
	'Each row gets its own image.': [
		['test/nodes/shared/submission/changedRows.test.ts', 'after a crash, each item gets its own result when %s'],
		['test/nodes/shared/submission/changedRows.test.ts', 'in a loop, rows that have moved to other turns find their own jobs'],
		['test/e2e/changedRows.e2e.ts', 'each item has the image of its own row, and each row is billed once: $name ($way.name)'],
	],
	'A job is returned only for its own workflow.': [
		[
			'test/nodes/shared/submission/crash.test.ts',
			'a retry with a corrected workflow sends nothing while a job exists, and does not return the job of the other workflow (%s)',
		],
		['test/client/engine/earlierPrompts.test.ts', 'another graph under its id: its own job is found among the others'],
	],
	'You can retry every execution of such a chain, in any order, also after restarts of n8n.': [
		[
			'test/nodes/shared/submission/changedRows.test.ts',
			'a chain of three crashes is billed once for each item, with n8n restarted before each execution: $order, n8n 1.x: $isOld',
		],
		['test/e2e/changedRows.e2e.ts', 'each item has the image of its own row, and each row is billed once: $name ($way.name)'],
	],
	'If the service cannot report whether the job exists, the node sends nothing.': [
		[
			'test/nodes/shared/submission/recovered.test.ts',
			'a retry reports an unconfirmed submission when the list does not cover the start time',
		],
		['test/nodes/shared/submission/recovered.test.ts', 'items with equal workflows recover one job each, also at the same time'],
		['test/nodes/run/once.test.ts', 'a retry after a crash returns the job of its own file for each item (hashes: %s)'],
		['test/nodes/router/crash.test.ts', 'a retry after 24 hours sends nothing and says so'],
	],
	'The examples that cost money have this setting on.': [
		[
			'test/package/examples.test.ts',
			'an example with paid jobs saves the progress of its executions, so finished jobs stay when n8n crashes',
		],
	],
	'Seeds, in Comfy Run Workflow and Comfy Run Router Model, creates the same seeds in every retry.': [
		['test/nodes/shared/submission/crash.test.ts', 'a retry submits an item that a crash lost before its submission with the same seeds'],
		['test/nodes/shared/submission/crash.test.ts', 'a retry sends file names with the date of the first start'],
	],
	'A retry also looks for the job of a Custom key.': [
		['test/nodes/shared/submission/recovered.test.ts', 'a retry finds the job of a custom key'],
		['test/nodes/shared/submission/recovered.test.ts', 'without a key (None) every later retry gets the same job (%s)'],
	],
	'If a job takes longer than Max Wait and Still Running is not connected, the item fails with the job ID.': [
		[
			'test/nodes/run/stillRunning.test.ts',
			'fails its item with the job ID and what to do if Still Running is not connected, and a retry delivers both jobs of one bill',
		],
		['test/nodes/wait/stillRunning.test.ts', 'fails its item if Still Running is not connected, and a retry delivers both jobs'],
		[
			'test/e2e/lostServer.e2e.ts',
			'two jobs that take longer than Max Wait fail the execution and start the error workflow, and a retry delivers both jobs of one bill',
		],
	],
	'If a server gives no usable answer about its job for five minutes, the item fails with the job ID.': [
		[
			'test/nodes/run/lostServer.test.ts',
			'a server that is %s fails both items after five minutes, with the reason, the time and the job (%s)',
		],
		['test/nodes/run/lostServer.test.ts', 'an outage of three minutes delivers both items and submits nothing again (%s)'],
		[
			'test/e2e/lostServer.e2e.ts',
			'a ComfyUI that stops responding during two jobs fails the execution and starts the error workflow, and a retry after restarts delivers both jobs of one bill',
		],
	],
	'If an item fails and On Error is Stop Workflow, the execution fails, and n8n starts its error workflow with the message.': [
		[
			'test/e2e/lostServer.e2e.ts',
			'a ComfyUI that stops responding during two jobs fails the execution and starts the error workflow, and a retry after restarts delivers both jobs of one bill',
		],
		[
			'test/e2e/lostServer.e2e.ts',
			'two jobs that take longer than Max Wait fail the execution and start the error workflow, and a retry delivers both jobs of one bill',
		],
	],
	'If Still Running is connected, the items leave through that output.': [
		[
			'test/nodes/shared/items/shutdown.test.ts',
			'waiting nodes stop and cancel nothing: items leave through Still Running if it is connected, otherwise the execution fails with the id of the job, which its retry delivers',
		],
		['test/nodes/shared/items/shutdownConnected.test.ts', 'a node knows in this version of n8n whether Still Running is connected'],
		[
			'test/e2e/shutdown.e2e.ts',
			'at a shutdown, waiting items go to Still Running if it is connected and otherwise fail with the job’s id; retries are billed once',
		],
	],
	'A retry submits a new job for each canceled item.': [
		['test/nodes/shared/submission/stops.test.ts', 'a retry returns a job that the service did not cancel, and submits no second one (%s)'],
		['test/nodes/shared/submission/stops.test.ts', 'Comfy Submit Workflow submits a new job for each item that a stop canceled'],
	],
	'Executions that start in the same millisecond with the same data have different keys within one n8n process.': [
		['test/nodes/shared/submission/crash.test.ts', '60 executions of one millisecond make 60 jobs with 60 keys'],
		[
			'test/nodes/shared/submission/crash.test.ts',
			'executions with another start time, other items or another workflow share no key and no job',
		],
	],
	'Equal rows of several calls are distinguished by their order, as far as n8n saved it.': [
		[
			'test/nodes/shared/execution/subWorkflows.test.ts',
			'three calls with equal items make three jobs, and a retry returns them in this order',
		],
		['test/e2e/crashes.e2e.ts', 'each execution is retried after n8n is killed with -9 (settings: $name)'],
	],
	'A retry on any worker finds the job, whichever process crashed.': [
		[
			'test/nodes/shared/execution/repeatedExecution.test.ts',
			'a worker of n8n 1.x that repeats an execution of a crashed worker submits no second job',
		],
		[
			'test/queue/queueMode.queue.ts',
			'main is killed with -9 while workers run: nothing is lost or paid twice, and the trigger reports each job once',
		],
	],
	'Versions before 2.20 lose the first start time in a crash.': [
		[
			'test/nodes/shared/submission/crash.test.ts',
			'a retry sends nothing and says so when n8n lost the start time of the execution, as before 2.20',
		],
	],
	'To see which jobs your nodes created, use Comfy Manage Jobs and Queue, operation Get Many, with the filter Made By This n8n Workflow.': [
		['test/nodes/manageJobs/madeBy.test.ts', 'limits Get Many to this n8n workflow'],
	],
	'n8n cannot keep larger files in memory.': [
		['test/nodes/binaryModes/memory.test.ts', 'is rejected before the download, with the setting to change'],
	],
	'n8n saves larger files but cannot read them again.': [
		[
			'test/nodes/binaryModes/database.test.ts',
			'a file that n8n could not read again from PostgreSQL is rejected before the download, with the setting to change',
		],
	],
	'Each milestone, each output and each end starts one execution, even if connections are lost.': [
		[
			'test/nodes/trigger/reconnecting.test.ts',
			'a lost connection twice during a job changes nothing: each milestone and the end are reported once',
		],
	],
	"It shows the cause once, as a failed execution (n8n 2) and in n8n's log, and tries again slowly.": [
		['test/nodes/trigger/troubles.test.ts', 'is reported once for %s, and tried again slowly'],
	],
	'If you unpublish the workflow (in n8n 1: deactivate it), the trigger closes its connection within seconds.': [
		['test/nodes/trigger/troubles.test.ts', 'closes the socket, and not that of another trigger'],
	],
	'A server that does not respond does not delay the events of the others.': [
		['test/client/events/watchEngine.test.ts', 'does not make the trigger read the other server more often'],
		['test/nodes/trigger/pool.test.ts', 'succeeds if one of two servers is off, and the log names that server'],
	],
	'After a restart of n8n, the trigger reports once each job that finished in the meantime.': [
		['test/nodes/trigger/reconnecting.test.ts', 'while a job ends reports the end once, and no milestone again'],
		['test/nodes/trigger/reconnecting.test.ts', 'reports an end that a service with a slow clock dates before the last delivery'],
		['test/nodes/trigger/memory.test.ts', 'the trigger looks back one day at most'],
		['test/nodes/trigger/engine.test.ts', '150 jobs that end during a restart of n8n are reported once each (job list: %s)'],
		[
			'test/nodes/trigger/pool.test.ts',
			'reports after a restart of n8n 150 jobs of one server and 10 of another one, which ended in the meantime',
		],
		[
			'test/e2e/shutdown.e2e.ts',
			'the end of a job that finishes while n8n is stopped is reported once after the start, and not after another start',
		],
	],
};
