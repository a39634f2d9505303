/** A test that keeps a promise of docs/promises.md. */
export interface PromisedTest {
	/** The promise, as the page links to it: `(#tests-<promise>)`. */
	promise: string;
	file: string;
	/** The test's title, or the label of its row in a table, exactly as the file writes it. */
	test: string;
}

/** Files and titles by promise. */
const TESTS: Record<string, ReadonlyArray<readonly [file: string, test: string]>> = {
	'never-pays-twice': [
		[
			'test/nodes/submit/once.test.ts',
			'Retry execution: a later execution returns recorded jobs and sends only what is unresolved, under its recorded key',
		],
		['test/e2e/crashes.e2e.ts', 'n8n killed with -9, with $name: each execution is retried'],
	],
	'stop-means-stop': [
		['test/nodes/wait/wait.test.ts', 'cancels the job: no node of it is executed afterwards (%s)'],
		['test/e2e/stop.e2e.ts', 'stopping the execution cancels the job it waits for; nothing of it is executed afterwards'],
	],
	'done-at-once': [['test/nodes/wait/wait.test.ts', 'live takes three requests, whatever the job’s length']],
	'tells-once': [
		['test/nodes/trigger/reconnecting.test.ts', 'twice in mid-job changes nothing: each milestone once, the end once'],
		[
			'test/e2e/trigger.e2e.ts',
			'two lost connections in mid-job change nothing, for neither of two triggers; deactivating one leaves the other',
		],
	],
	'every-file': [
		['test/nodes/download/download.test.ts', 'comes with the service’s bytes, its name and its MIME type'],
		['test/nodes/download/faults.test.ts', 'of another %s than announced fail, and nothing is saved'],
		['test/nodes/shared/files/largeFiles.test.ts', 'downloads ${LARGE_MIB} MiB in little memory'],
	],
	'all-items': [
		['test/nodes/shared/items/items.test.ts', 'an item that takes longer than those after it keeps its place'],
		[
			'test/nodes/run/batch.test.ts',
			'${COUNT} items where three jobs may be in flight: none fails, in order and paired, and nearly nothing is refused',
		],
	],
	'clear-messages': [
		['test/nodes/shared/messages/messages.test.ts', 'says what happened and what to do, with details %s'],
		['test/nodes/shared/secrets.test.ts', 'finds its words without the key (%s)'],
	],
	sandbox: [['test/contract/answers.test.ts', 'outputs of every kind, and a failed job']],
	'may-have-been-submitted': [
		[
			'test/nodes/submit/once.test.ts',
			'a lost answer where the service lists no jobs fails as "may have been submitted", with the key, and is never sent under another',
		],
	],
	'stays-the-result': [
		[
			'test/nodes/shared/messages/failures.test.ts',
			'W8: is not run again by a retry of the execution, and the message says so; a new execution runs it',
		],
	],
	'found-after-a-crash': [
		[
			'test/nodes/shared/submission/crash.test.ts',
			'a retry that n8n did not survive either left what the next one finds, also where the first had been refused',
		],
		[
			'test/nodes/shared/submission/crashLoops.test.ts',
			'that n8n did not survive in the second is retried %s: three jobs, each picture delivered once',
		],
		['test/e2e/crashes.e2e.ts', 'n8n killed with -9, with $name: each execution is retried'],
		[
			'test/editor/afterCrash.editor.ts',
			'a crashed execution is retried from its list in two clicks: the job that went on is delivered, and billed once',
		],
	],
	'where-it-cannot-tell': [
		['test/nodes/shared/submission/recovered.test.ts', 'where the list does not reach back, it is in doubt'],
		['test/nodes/shared/submission/recovered.test.ts', 'items with equal workflows take a job each, also at once'],
		['test/nodes/run/once.test.ts', 'several items: each gets the job of its own file'],
		['test/nodes/router/crash.test.ts', 'after 24 hours nothing is sent, and said'],
	],
	'progress-saved': [
		[
			'test/package/examples.test.ts',
			'where something is paid for, an example saves the progress of its executions: what has ended is kept when n8n dies',
		],
	],
	'drawn-from-the-key': [
		['test/nodes/shared/submission/crashDraws.test.ts', 'what died before it was sent is sent with the seeds it would have had'],
		['test/nodes/shared/submission/crashDraws.test.ts', 'dates in names of files are of the first start: a retry sends the same workflow'],
	],
	'own-key-or-none': [
		['test/nodes/shared/submission/recovered.test.ts', 'under a key of the user’s own the job is found'],
		['test/nodes/shared/submission/unconfirmedRetry.test.ts', 'without a key (None) every later retry gets the same job (%s)'],
	],
	'stopped-with-care': [
		[
			'test/nodes/shared/items/shutdown.test.ts',
			'what waits leaves off and cancels nothing; items go to Still Running where it is connected, else the execution fails with the job’s id, and its retry delivers, billed once (%s)',
		],
		['test/nodes/shared/items/shutdownConnected.test.ts', 'whether something is connected to Still Running is seen in this version of n8n'],
		[
			'test/e2e/shutdown.e2e.ts',
			'asked to stop: what waits goes to Still Running where it is connected, else it fails with the job’s id; retried, each is billed once',
		],
	],
	'your-own-stop': [
		['test/nodes/shared/submission/retryAfterStop.test.ts', 'one that the service did not cancel is taken, and paid for once (%s)'],
		['test/nodes/shared/submission/crashStops.test.ts', 'Comfy Submit Workflow: the same, for each of its items'],
	],
	twins: [
		['test/nodes/shared/submission/crashTwins.test.ts', '60 at once: 60 jobs, 60 keys'],
		[
			'test/nodes/shared/submission/crashTwins.test.ts',
			'executions that began in another millisecond or with other items, or belong to another workflow, share nothing',
		],
	],
	'sub-workflows': [
		[
			'test/nodes/shared/execution/subWorkflows.test.ts',
			'called three times with the same items, it makes three jobs, and a retry takes them in this order',
		],
		[
			'test/e2e/subWorkflows.e2e.ts',
			'n8n killed with -9 while sub-workflows wait for their jobs: each is billed once, and delivered by the retry',
		],
	],
	'queue-mode': [
		[
			'test/nodes/shared/execution/repeatedExecution.test.ts',
			'a worker of n8n 1.x that executes again what a dead one left behind pays for nothing twice',
		],
		[
			'test/queue/queueMode.ts',
			'main killed with -9 while workers go on: nothing is lost or paid twice, and the trigger tells each job once',
		],
	],
	'start-is-lost': [
		['test/nodes/shared/submission/crash.test.ts', 'where n8n lost when it all began, as before 2.20, nothing is sent, and that is said'],
	],
	'made-by': [['test/nodes/manageJobs/madeBy.test.ts', 'limits Get Many to this n8n workflow']],
	'memory-limit': [['test/nodes/binaryModes/memory.test.ts', 'is refused before it is fetched, naming the setting to change']],
	'postgres-limit': [
		[
			'test/nodes/binaryModes/database.test.ts',
			'what n8n could not read back from PostgreSQL is refused before it is fetched, naming the setting to change',
		],
	],
	'trigger-goes-on': [['test/nodes/trigger/troubles.test.ts', 'is told once for %s, and tried again slowly']],
	'trigger-closes': [['test/nodes/trigger/troubles.test.ts', 'closes the socket']],
	'trigger-restarts': [
		['test/nodes/trigger/reconnecting.test.ts', 'while a job ends: its end is told once, and no milestone again'],
		[
			'test/nodes/trigger/reconnecting.test.ts',
			'T2: tells of an end that a service whose clock is half a minute behind dates before the last delivery',
		],
		['test/nodes/trigger/memory.test.ts', 'a day back at most'],
		['test/e2e/triggerRestart.e2e.ts', 'n8n stopped while a job finishes: its end is told once after the start, and not after another'],
	],
};

export const PROMISED_TESTS: PromisedTest[] = Object.entries(TESTS).flatMap(([promise, tests]) =>
	tests.map(([file, test]) => ({ promise, file, test })),
);
