/** Rules whose breach would cost money or lose something: their tests are shown to fail when they are broken. */
export interface Mutation {
	rule: string;
	file: string;
	from: string;
	to: string;
	suite: string;
	/** Part of the names of its tests. */
	test: string;
}

export const MUTATIONS: Mutation[] = [
	...(['test/nodes/wait.test.ts', 'test/nodes/downloadFaults.test.ts'].map((suite) => ({
		rule: 'an "expired" is believed only after a second read',
		file: 'client/v2/service.ts',
		from: "if (job.status !== 'expired') return job;",
		to: 'return job;',
		suite,
		test: 'T1: ',
	}))),
	{
		rule: 'the key holds the id of the node',
		file: 'nodes/shared/submissionLedger.ts',
		from: ', execution.getNode().id]',
		to: ']',
		suite: 'test/nodes/submittingOnce.test.ts',
		test: 'T2: two nodes',
	},
	{
		rule: 'a fresh link is that of the same file',
		file: 'nodes/shared/jobs/download/save.ts',
		from: 'output.id === id && output.name === name && output.node_id === node_id',
		to: 'output.id === id',
		suite: 'test/nodes/freshLinks.test.ts',
		test: 'T2: a fresh link',
	},
	{
		rule: 'no percent before the size of the graph is known',
		file: 'client/watch/accountWatch.ts',
		from: "if (event.kind === 'progress' && this.unmeasured.has(jobId)) return void this.unmeasured.set(jobId, raw);",
		to: '',
		suite: 'test/client/watch/accountWatch.test.ts',
		test: 'T2: tells no percent',
	},
	{
		rule: 'a link may expire a second time',
		file: 'client/files/remoteFile.ts',
		from: 'this.refreshed = false;',
		to: '',
		suite: 'test/client/v2/download.test.ts',
		test: 'T2: that expires again',
	},
	{
		rule: 'a host name that nobody knows is not passed over',
		file: 'client/findServer.ts',
		from: "['refused', 'timeout'].includes",
		to: "['refused', 'timeout', 'dns'].includes",
		suite: 'test/client/engine/findServer.test.ts',
		test: 'T2: a host name',
	},
	{
		rule: 'the throttle forgets a finished job',
		file: 'client/progress/throttle.ts',
		from: "if (news.kind === 'finished') this.forget(news.job_id);",
		to: '',
		suite: 'test/client/progress/selection.test.ts',
		test: 'T2: forgets a job',
	},
	{
		rule: 'a whole number that a double has rounded is not sent',
		file: 'client/router/inputForm/values.ts',
		from: "typeof number === 'number' && hasLostDigits(number)",
		to: 'false',
		suite: 'test/client/router/inputForm.test.ts',
		test: 'T2: a whole number',
	},
	{
		rule: 'the clock of the service may be behind',
		file: 'nodes/ComfyProgressTrigger/memory.ts',
		from: 'deliveredAt - CLOCK_SKEW_MS',
		to: 'deliveredAt',
		suite: 'test/nodes/trigger/reconnecting.test.ts',
		test: 'T2: tells of an end',
	},
	{
		rule: 'a drawn seed is the item’s own',
		file: 'nodes/ComfyRunWorkflow/seeds.ts',
		from: '`${drawKey}:${name}`',
		to: '`${name}`',
		suite: 'test/nodes/run/seeds.test.ts',
		test: 'Random For Each Item',
	},
	{
		rule: 'waits of different credentials share nothing',
		file: 'client/identity.ts',
		from: 'prefix, key, authorization,',
		to: 'prefix,',
		suite: 'test/client/wait/shared.test.ts',
		test: 'two credentials share nothing',
	},
	{
		rule: 'a row whose id another node has by now is refused',
		file: 'nodes/shared/inputs/chosen.ts',
		from: 'if (moved === undefined || moved.name === found.name) return found;',
		to: 'return found;',
		suite: 'test/nodes/run/files.test.ts',
		test: 'an input whose id is another one',
	},
	{
		rule: 'one content is sent once',
		file: 'nodes/shared/jobs/files/sentFiles.ts',
		from: '(this.doings.get(key) as Promise<T> | undefined) ?? work()',
		to: 'work()',
		suite: 'test/nodes/run/files.test.ts',
		test: '20 items with one content',
	},
	{
		rule: 'a job that ended while a refusal was on its way still counts',
		file: 'client/pace/pace.ts',
		from: 'this.limit = Math.max(attempt.inFlight, this.inFlight);',
		to: 'this.limit = this.inFlight;',
		suite: 'test/client/pace/pace.test.ts',
		test: 'one that ended while a refusal was on its way',
	},
	{
		rule: 'a full list without pages may be longer',
		file: 'client/v2/decode.ts',
		from: ' || decoded.length >= limit',
		to: '',
		suite: 'test/client/v2/decode.test.ts',
		test: 'a list that is full',
	},
	{
		rule: 'v1 and engines are listened to before a job is submitted',
		file: 'nodes/ComfyRunWorkflow/run.ts',
		from: '	await listenAhead(context.connection, context);\n',
		to: '',
		suite: 'test/nodes/run/requests.test.ts',
		test: 'takes four requests over v1',
	},
];
