/** A mutant that no test can detect, because the mutated code does the same. */
export interface EquivalentMutant {
	file: string;
	/** The whole source line that it changes, trimmed. */
	line: string;
	replacement: string;
	reason: string;
}

export const EQUIVALENTS: EquivalentMutant[] = [
	{
		file: 'nodes/shared/jobs/submit/sendItem.ts',
		line: "if (state.kind !== 'unconfirmed' || state.sentGraph === undefined) return await prepare(seedKey);",
		replacement: 'false',
		reason: 'Only an unconfirmed submission has a graph that was sent. Without the first comparison, the second one decides.',
	},
	{
		file: 'nodes/shared/jobs/submit/prepareInputs.ts',
		line: 'export async function prepareInputs(context: SubmitContext, ledger: SubmissionLedger, files: FileRow[] = []): Promise<PreparedInputs> {',
		replacement: '["Stryker was here"]',
		reason: 'A row without a name finds no input, and has no other effect.',
	},
	{
		file: 'nodes/shared/jobs/submit/prepareInputs.ts',
		line: 'if (jobId !== undefined) {',
		replacement: 'true',
		reason: 'Without a job ID no request is sent, and the saved workflow is loaded.',
	},
	{
		file: 'nodes/shared/execution/arrivals.ts',
		line: 'export const hasArrived = (group: string, executionId: string): boolean => arrivals.get(group)?.has(executionId) === true;',
		replacement: 'arrivals.get(group).has',
		reason: 'The group exists: the call that asks has arrived in it.',
	},
	{
		file: 'nodes/shared/execution/arrivals.ts',
		line: 'return value === undefined ? undefined : this.set(key, value);',
		replacement: 'false',
		reason: 'An entry that is undefined counts as none.',
	},
	{
		file: 'nodes/shared/execution/executionFacts.ts',
		line: '} catch {',
		replacement: '{}',
		reason: 'A function without a return statement returns undefined as well.',
	},
	{
		file: 'nodes/shared/execution/executionFacts.ts',
		line: 'if (call.items !== undefined) itemHashes.set(call.id, call.items);',
		replacement: 'true',
		reason: 'An entry that is undefined counts as none.',
	},
	{
		file: 'nodes/shared/execution/executionIdentity.ts',
		line: 'const isRetried = calls.at(-1)?.isRetried === true;',
		replacement: 'calls.at(-1).isRetried',
		reason: 'There is at least one call.',
	},
	{
		file: 'nodes/shared/execution/executionIdentity.ts',
		line: "isRetry || rootMode === 'retry' || (rootMode === undefined && establishedAt < processStart);",
		replacement: 'establishedAt <= processStart',
		reason: 'The start of the process is not a whole number of milliseconds.',
	},
	{
		file: 'nodes/shared/execution/executionIdentity.ts',
		line: 'function countUnseen({ id, workflowId, parent, items, earlier = [], isRetried }: SubCall, isRetry: boolean, isLast: boolean): number {',
		replacement: '["Stryker was here"]',
		reason: 'Only in a retry are the earlier calls unknown, and a retry counts no call without items.',
	},
	{
		file: 'nodes/shared/withoutSecrets.ts',
		line: 'const mayHold = (text: string) => /[%\\\\+&]/.test(text) || searched.some((one) => text.includes(one));',
		replacement: 'true',
		reason: 'The search before the pattern only saves time.',
	},
	{
		file: 'nodes/shared/withoutSecrets.ts',
		line: 'const mayHold = (text: string) => /[%\\\\+&]/.test(text) || searched.some((one) => text.includes(one));',
		replacement: '/[^%\\\\+&]/',
		reason: 'The search before the pattern only saves time.',
	},
	{
		file: 'nodes/shared/withoutSecrets.ts',
		line: 'for (let index = 0; index < value.length; index++) {',
		replacement: 'index <= value.length',
		reason: 'What is beyond the end of a list is undefined, and stays so.',
	},
	{
		file: 'nodes/shared/withoutSecrets.ts',
		line: 'return copy.every(([name, one], index) => name === entries[index]?.[0] && one === entries[index]?.[1]) ? value : Object.fromEntries(copy);',
		replacement: 'entries[index][0]',
		reason: 'Both lists have the same length.',
	},
	{
		file: 'nodes/shared/withoutSecrets.ts',
		line: 'return copy.every(([name, one], index) => name === entries[index]?.[0] && one === entries[index]?.[1]) ? value : Object.fromEntries(copy);',
		replacement: 'entries[index][1]',
		reason: 'Both lists have the same length.',
	},
	{
		file: 'nodes/shared/withoutSecrets.ts',
		line: 'if (secrets.length === 0) return (value) => value;',
		replacement: 'false',
		reason: 'Without secrets the mask gives back the same value.',
	},
	{
		file: 'nodes/shared/app/fields.ts',
		line: 'bound !== undefined && Math.abs(Number(bound)) > LARGEST_BOUND ? undefined : bound;',
		replacement: 'true',
		reason: 'undefined is not a number, so it is not greater.',
	},
	{
		file: 'nodes/shared/app/fields.ts',
		line: "if (kind !== 'integer' && kind !== 'number') return undefined;",
		replacement: 'false',
		reason: 'Other kinds have neither least nor greatest value.',
	},
	{
		file: 'client/graph/inputs/convertValue.ts',
		line: '} catch {',
		replacement: '{}',
		reason: 'A text that cannot be parsed is then undefined, which the callers refuse with the same fault.',
	},
	{
		file: 'client/graph/inputs/convertValue.ts',
		line: "const bound = (limit: number | string | undefined): Amount | undefined => (typeof limit === 'string' ? parseExactNumber(limit) : limit);",
		replacement: 'true',
		reason: 'A number is parsed to itself.',
	},
	{
		file: 'client/graph/inputs/convertValue.ts',
		line: "const word = ['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim().toLowerCase() : '';",
		replacement: '"Stryker was here!"',
		reason: 'Neither word is true or false.',
	},
	{
		file: 'client/graph/inputs/definitions.ts',
		line: 'return type === GROWING ? settings.template : undefined;',
		replacement: 'true',
		reason: 'No other type has a template in its settings.',
	},
	{
		file: 'client/graph/inputs/definitions.ts',
		line: 'const grown = listOf(entry)[0] === GROWING ? listGroups(option.input).flatMap((group) => Object.values(group))[0] : undefined;',
		replacement: 'true',
		reason: 'An option of a choice has `inputs`, but no `input`.',
	},
	{
		file: 'client/graph/inputs/listInputs.ts',
		line: "kind: kind === 'number' && definition === undefined && isCount(input, value, role) ? 'integer' : kind,",
		replacement: 'true',
		reason: 'Without a definition only numbers are whole.',
	},
	{
		file: 'client/graph/inputs/listInputs.ts',
		line: 'if (byControl.length > 0 || definitions === undefined) return byControl;',
		replacement: 'false',
		reason: 'Without definitions the second list is empty as well.',
	},
	{
		file: 'client/graph/inputs/graphNodes.ts',
		line: 'for (const value of Object.values(graph[id]?.inputs ?? {})) {',
		replacement: 'graph[id].inputs',
		reason: 'The graph has the node.',
	},
	{
		file: 'client/transport/outboundNetwork.ts',
		line: "const address = host.replace(/^\\[(.*)\\]$/, '$1').split('%', 1)[0] ?? '';",
		replacement: '/\\[(.*)\\]$/',
		reason: 'A host of a URL has brackets only around the whole of it.',
	},
	{
		file: 'client/transport/outboundNetwork.ts',
		line: "const address = host.replace(/^\\[(.*)\\]$/, '$1').split('%', 1)[0] ?? '';",
		replacement: '/^\\[(.*)\\]/',
		reason: 'A host of a URL has brackets only around the whole of it.',
	},
	{
		file: 'client/transport/outboundNetwork.ts',
		line: "const address = host.replace(/^\\[(.*)\\]$/, '$1').split('%', 1)[0] ?? '';",
		replacement: '"Stryker was here!"',
		reason: 'A split text has a first part.',
	},
	{
		file: 'client/transport/outboundNetwork.ts',
		line: "return version !== 0 && LINK_LOCAL.check(address, version === 6 ? 'ipv6' : 'ipv4');",
		replacement: 'true',
		reason: 'The list holds nothing that is no address.',
	},
	{
		file: 'client/concurrency/concurrencyLimiter.ts',
		line: 'const isProbe = this.limit !== Infinity && inFlight + this.sending >= this.limit;',
		replacement: 'true',
		reason: 'No number of jobs reaches an infinite limit, so the second condition is enough.',
	},
	{
		file: 'client/concurrency/submissionQueue.ts',
		line: 'const next = this.queue.findIndex((other) => other.position > position);',
		replacement: 'other.position >= position',
		reason: 'No two submissions have the same position.',
	},
	{
		file: 'nodes/shared/submission/keys.ts',
		line: '} catch {',
		replacement: '{}',
		reason: 'A function without a return statement returns undefined as well.',
	},
	{
		file: 'client/router/requests.ts',
		line: "const bucketIn = ({ error_type: errorType }: RouterRequest): string => toBucket(errorType ?? '');",
		replacement: '"Stryker was here!"',
		reason: 'It is called only for a request that has an error type.',
	},
	{
		file: 'client/router/requests.ts',
		line: "const code = toBucket(errorType ?? '');",
		replacement: '"Stryker was here!"',
		reason: 'It is called only for a request that has an error type.',
	},
	{
		file: 'client/router/sendUntilAnswered.ts',
		line: 'if (error instanceof StoppedError) throw error;',
		replacement: 'false',
		reason: 'A stop is final by the retry table as well, and leaves nothing open.',
	},
	{
		file: 'client/router/retryTable.ts',
		line: 'const FINAL: Verdict = { canRetry: false, mayHaveRun: false, hasFailureLimit: false };',
		replacement: '{}',
		reason: 'What is absent counts as false.',
	},
];
