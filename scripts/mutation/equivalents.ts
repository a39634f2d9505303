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
		file: 'client/pace/pace.ts',
		line: 'const isProbe = this.limit !== Infinity && inFlight + this.attempts >= this.limit;',
		replacement: 'true',
		reason: 'No number of jobs reaches an infinite limit, so the second condition is enough.',
	},
	{
		file: 'client/pace/submissionLine.ts',
		line: 'let hasWaited = false;',
		replacement: 'true',
		reason: 'It is set before anything reads it.',
	},
	{
		file: 'client/pace/submissionLine.ts',
		line: 'const before = this.line.findIndex((other) => other.place > place);',
		replacement: 'other.place >= place',
		reason: 'No two submissions have the same place.',
	},
	{
		file: 'nodes/shared/submission/submissionLedger.ts',
		line: '...(endings !== undefined && { endings }),',
		replacement: 'true',
		reason: 'JSON leaves out what is undefined.',
	},
	{
		file: 'nodes/shared/submission/submissionLedger.ts',
		line: '...(forgotten !== undefined && { forgotten }),',
		replacement: 'true',
		reason: 'JSON leaves out what is undefined.',
	},
	{
		file: 'nodes/shared/submission/customKeys.ts',
		line: '} catch {',
		replacement: '{}',
		reason: 'A function without a return statement returns undefined as well.',
	},
	{
		file: 'client/router/ended.ts',
		line: "const codeOf = ({ error_type: word }: RouterRequest): string => bucketOf(word ?? '');",
		replacement: '"Stryker was here!"',
		reason: 'It is called only for a request that has an error type.',
	},
	{
		file: 'client/router/ended.ts',
		line: "const code = bucketOf(word ?? '');",
		replacement: '"Stryker was here!"',
		reason: 'It is called only for a request that has an error type.',
	},
	{
		file: 'client/router/persist.ts',
		line: 'if (error instanceof StoppedError) throw error;',
		replacement: 'false',
		reason: 'A stop is final by the retry table as well, and leaves nothing open.',
	},
];
