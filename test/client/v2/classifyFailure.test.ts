import { ApiError, ConnectionError, type ConnectionTrouble, StoppedError, UnreadableAnswerError } from '../../../client/errors/errors';
import { classifyFailure } from '../../../client/v2/submit';

const api = (status: number, code: string, retryAfterMs?: number) =>
	new ApiError({ interface: 'v2', code, status, message: code, ...(retryAfterMs !== undefined && { retryAfterMs }) });
const connection = (trouble: ConnectionTrouble, mayHaveArrived: boolean) =>
	new ConnectionError({ trouble, origin: 'http://127.0.0.1', mayHaveArrived, message: trouble });
const unreadable = (status: number) =>
	new UnreadableAnswerError({ reason: 'html', status, contentType: 'text/html', address: 'http://127.0.0.1/jobs' });

test.each([
	['the key is in use', api(409, 'idempotency_key_reuse'), { kind: 'keyInUse' }],
	['the queue is full', api(429, 'queue_full'), { kind: 'postponed', rejection: 'full' }],
	['an unknown 429 names a time', api(429, 'other', 1_000), { kind: 'postponed', rejection: 'full' }],
	['an unknown 429 names no time', api(429, 'other'), { kind: 'final' }],
	['requests are limited', api(429, 'rate_limited'), { kind: 'postponed', rejection: 'busy' }],
	['the deployment starts', api(429, 'deployment_not_ready'), { kind: 'postponed', rejection: 'busy' }],
	['a gateway answers 429 with a page', unreadable(429), { kind: 'postponed', rejection: 'busy' }],
	['the connection is refused', connection('refused', false), { kind: 'notSent' }],
	['the connection is lost before a byte left', connection('lost', false), { kind: 'notSent' }],
	['the connection is lost after bytes left', connection('lost', true), { kind: 'unconfirmed' }],
	['no response arrives in time', connection('timeout', true), { kind: 'unconfirmed' }],
	['the service fails', api(500, 'internal_error'), { kind: 'unconfirmed' }],
	['a gateway fails', unreadable(502), { kind: 'unconfirmed' }],
	['the response of a success is unreadable', unreadable(200), { kind: 'unconfirmed' }],
	['a page answers 404', unreadable(404), { kind: 'final' }],
	['the service does not have the route', api(501, 'not_implemented'), { kind: 'final' }],
	['the workflow is invalid', api(422, 'invalid_workflow'), { kind: 'final' }],
	['there are no credits', api(402, 'insufficient_credits'), { kind: 'final' }],
	['the certificate is not trusted', connection('tls', false), { kind: 'final' }],
	['the caller stops it', new StoppedError(), { kind: 'final' }],
])('if %s', (_situation, error, failure) => {
	expect(classifyFailure(error)).toEqual(failure);
});
