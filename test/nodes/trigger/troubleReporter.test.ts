import type { INode, ITriggerFunctions } from 'n8n-workflow';

import { ApiError, UnreadableAnswerError } from '../../../client';
import { TroubleReporter } from '../../../nodes/ComfyProgressTrigger/troubles';
import { readCredential } from '../../../nodes/shared/credentials';

const credential = readCredential('comfyApi', { apiKey: 'key', baseUrl: 'https://comfy.example' }, 'v1');

/** A reporter, and how many lines and failed executions it has made. */
function reporting() {
	const made = { lines: 0, failures: 0 };
	const trigger = {
		logger: { warn: () => void made.lines++ },
		getNode: () => ({ name: 'Trigger', type: 'comfyProgressTrigger' }) as INode,
		saveFailedExecution: () => void made.failures++,
	};
	return { made, reporter: new TroubleReporter(trigger as unknown as ITriggerFunctions, credential) };
}

const refusal = (status: number): ApiError => new ApiError({ interface: 'v1', code: 'other', status, message: 'Not now' });
const unreadable = (status: number, reason: 'html' | 'truncated'): UnreadableAnswerError =>
	new UnreadableAnswerError({ status, reason, contentType: null, address: 'https://comfy.example/api' });

it.each<[string, Error, failures: number]>([
	['a wrong key', refusal(401), 1],
	['an interface that the service does not offer', refusal(501), 1],
	['an error of the service', refusal(500), 0],
	['a web page of another server', unreadable(200, 'html'), 1],
	['a web page of a gateway', unreadable(502, 'html'), 0],
	['an incomplete answer', unreadable(200, 'truncated'), 0],
])('becomes a failed execution only if the user must act: %s', (_, error, failures) => {
	const { made, reporter } = reporting();
	reporter.report({ error, retryInMs: 1_000 });
	expect(made).toEqual({ lines: 1, failures });
});

it('reports the same trouble of two servers of a pool, and forgets it for the server that is back', () => {
	const { made, reporter } = reporting();
	const report = (): void =>
		['http://one', 'http://two'].forEach((server) => reporter.report({ error: refusal(401), retryInMs: 1_000, server }));
	report();
	report();
	expect(made).toEqual({ lines: 2, failures: 2 });
	reporter.reset('http://one');
	report();
	expect(made).toEqual({ lines: 3, failures: 3 });
});
