import type { ApiGraph } from '../../../client';
import { useSandbox } from '../support/sandbox';
import { finished, JOB, STATUS } from '../support/v1';

const harness = useSandbox();

const failing = (exceptionType: string): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 1 } },
	'5': { class_type: 'SandboxFail', inputs: { image: ['1', 0], message: `It was a ${exceptionType}`, exception_type: exceptionType } },
});

test.each([
	'ValidationError',
	'ModelDownloadError',
	'ImageDownloadError',
	'OOMError',
	'InsufficientFundsError',
	'InactiveSubscriptionError',
	'PanicError',
	'ServiceError',
	'WebSocketError',
	'DispatcherError',
	'AnErrorOfTomorrow',
])('%s is the code of the failure, and the failing node is named', async (exceptionType) => {
	const job = await finished(harness.connectV1(), failing(exceptionType));
	expect(job).toMatchObject({ status: 'failed', service_status: 'error', outputs: [] });
	expect(job.job_error).toEqual({
		code: exceptionType,
		exception_type: exceptionType,
		message: `It was a ${exceptionType}`,
		node_id: '5',
		class_type: 'SandboxFail',
		traceback: expect.any(String),
	});
});

async function read(word: string, record: Record<string, unknown>, state: Record<string, unknown> = {}) {
	harness.sandbox.inject({ on: STATUS, answer: { status: 200, json: { status: word, ...state } } });
	harness.sandbox.inject({ on: JOB, answer: { status: 200, json: { id: 'a', status: 'failed', ...record } } });
	return (await harness.connectV1().jobs.get('a')).job_error;
}

test.each(['non_retryable_error', 'lost'])('%s is the code, beside the exception’s own type', async (word) => {
	const error = await read(word, {
		execution_error: {
			exception_type: 'OOMError',
			exception_message: 'Too big',
			node_id: 3,
			node_type: 'KSampler',
			traceback: ['a\n', 'b'],
		},
	});
	expect(error).toEqual({
		code: word,
		exception_type: 'OOMError',
		message: 'Too big',
		node_id: '3',
		class_type: 'KSampler',
		traceback: 'a\nb',
	});
});

test('an error without a type has the words of whoever has some', async () => {
	expect(await read('error', { execution_error: { exception_message: 'Boom' } })).toMatchObject({
		code: 'execution_error',
		message: 'Boom',
	});
	expect(await read('error', { execution_error: {} }, { error_message: 'It broke' })).toMatchObject({
		code: 'execution_error',
		message: 'It broke',
	});
	expect(await read('error', { execution_error: 'odd' }, { error_message: 7 })).toMatchObject({
		code: 'execution_error',
		message: expect.stringContaining('does not say why'),
	});
});

test('a canceled job has no error', async () => {
	expect(await read('cancelled', { execution_error: null })).toBeNull();
});
