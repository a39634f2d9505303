/** Rules of money, identity, time and doors, each broken in one place: some cell of the matrix must notice. */
export interface Mutant {
	rule: string;
	file: string;
	from: string;
	to: string;
	/** Names of the cells that are run. */
	cells: readonly string[];
}

const mutant = (rule: string, file: string, from: string, to: string, ...cells: string[]): Mutant => ({ rule, file, from, to, cells });

export const MUTANTS: readonly Mutant[] = [
	mutant(
		'a run’s key is the same in every attempt',
		'client/router/run.ts',
		'await api.send({ ...call, answerMs',
		"await api.send({ ...call, headers: { ...call.headers, 'idempotency-key': `${idempotencyKey}-${answerMs}` }, answerMs",
		'router run · reset after the request, delivered · first',
	),
	mutant(
		'a run whose answer was lost may exist',
		'client/router/persist.ts',
		'throw isUnknown ? new UnknownOutcomeError(idempotencyKey, { cause: error }) : error;',
		'throw error;',
		'router run · reset after the request, delivered · every',
	),
	mutant(
		'a 503 that names no time may have run',
		'client/router/retryTable.ts',
		'if (status === 503) return saysWhen ? NOT_YET : COLLECT;',
		'if (status === 503) return NOT_YET;',
		'router run · 503 in the service’s words · every',
	),
	mutant(
		'a failure of the router may have run',
		'client/router/retryTable.ts',
		'const FAILED: Verdict = { again: true, mayHaveRun: true,',
		'const FAILED: Verdict = { again: true, mayHaveRun: false,',
		'router run · 500 in the service’s words · every',
	),
	mutant(
		'a request that was accepted goes on, whatever its reads meet with',
		'client/router/acceptedRequest.ts',
		'throw isWorthRetrying(error) || leavesItOpen(error) ? this.unknown({ cause: error }) : error;',
		'throw error;',
		'router queued result · 401 in the service’s words · first',
	),
	mutant(
		'half a result is asked for again under the same key',
		'client/router/retryTable.ts',
		"return error.facts.reason === 'truncated' ? COLLECT : FAILED;",
		'return FINAL;',
		'router run · half JSON · first',
	),
	mutant(
		'a submission is not sent again without its key',
		'client/v2/submit.ts',
		"...(key !== undefined && { 'idempotency-key': key })",
		"...(key !== undefined && !answerLost && { 'idempotency-key': key })",
		'v2 submit, hosted · reset after the request, delivered · first',
	),
	mutant(
		'a submission whose answer was lost may exist',
		'client/v2/submit.ts',
		'throw answerLost && !isFinal(error) ? new UnknownOutcomeError(key, { cause: error }) : error;',
		'throw error;',
		'v2 submit, hosted · reset after the request, undelivered · every',
	),
	mutant(
		'only reads are sent on',
		'client/transport/http.ts',
		'const follows = isRead(request);',
		'const follows = true;',
		'router run · redirect 307 to itself · first',
	),
	mutant(
		'an API request stays on its own server',
		'client/transport/http.ts',
		'if (!request.followsAnywhere) await requireSameOrigin(response, request.url.origin);',
		'',
		'v2 get, hosted · redirect to another origin · every',
	),
	mutant(
		'each hop is asked for',
		'client/transport/egress.ts',
		'await validateUrl?.(new URL(url.origin + url.pathname));',
		'',
		'web file · redirect to 127.0.0.1 inside (http://127.0.0.1:9/) · every',
	),
	mutant(
		'a web page in place of a file is none',
		'client/files/remoteFile.ts',
		'return expected !== undefined && isHtmlType(contentType) && !isHtmlType(expected);',
		"return expected === '' && isHtmlType(contentType);",
		'file of which nothing is known · web page · first',
	),
	mutant(
		'what gives access to a file stands in no message',
		'client/transport/response.ts',
		'const address = `${this.url.origin}${this.url.pathname}`;',
		'const address = this.url.href;',
		'file whose link is the only one · 403 in the service’s words · every',
	),
	mutant(
		'the rest of a file begins where it was cut',
		'client/files/download.ts',
		'part = await reopen(received)',
		'part = await reopen(Math.max(received - 1, 0))',
		'file of which nothing is known · answer cut in the middle of its body · first',
	),
	mutant(
		'what has been received is skipped where all of a file comes again',
		'client/files/remoteFile.ts',
		'skip: offset - part.start',
		'skip: 0',
		'file of known size · gzip cut short · first',
	),
	mutant(
		'the bytes of a file are those of its hash',
		'client/files/download.ts',
		'if (hash && actual !== undefined && actual !== hash.toLowerCase())',
		"if (hash === '')",
		'file of known size and hash · other bytes of the same length · first',
	),
	mutant(
		'a link that has expired is asked for anew',
		'client/files/remoteFile.ts',
		'new Set([400, 401, 403, 404, 410])',
		'new Set([410])',
		'file of known size · 403 in the service’s words · first',
	),
	mutant(
		'Retry-After is waited for',
		'client/transport/retry.ts',
		'retryAfterOf(error) ?? ownPauseMs(failures)',
		'ownPauseMs(failures)',
		'router queue · 503, Retry-After of a year · first',
	),
	mutant(
		'who is busy is asked again',
		'client/transport/retry.ts',
		'status === 429 || (status >= 500',
		'(status >= 500',
		'v2 get, hosted · 429, Retry-After of 1 second · first',
	),
	mutant(
		'half an answer is asked for again',
		'client/transport/retry.ts',
		"return error.facts.reason === 'truncated' || isTransientStatus(error.status);",
		'return isTransientStatus(error.status);',
		'v2 get, hosted · half JSON · first',
	),
	mutant(
		'over v1 a prompt is not sent again once a byte of it has left',
		'client/v1/submit.ts',
		'isWorthRetrying: isUnheard }',
		'isWorthRetrying: () => true }',
		'v1 submit · reset after the request, delivered · first',
	),
	mutant(
		'a socket that is given up is closed',
		'client/transport/webSocket.ts',
		'return socket.terminate();',
		'return this.closed();',
		'account news · silence after 1 frames · first',
	),
	mutant(
		'an output is told once',
		'client/news/followedJob.ts',
		'if (this.toldOutputs.has(key)) return [];',
		"if (key === '') return [];",
		'account news · each frame twice · every',
	),
	mutant(
		'a body that never ends has a bound',
		'client/transport/limits.ts',
		'this.whole = clock.after(milliseconds, this.expire);',
		'this.whole = undefined;',
		'router run · endless drip of the answer body · every',
	),
];
