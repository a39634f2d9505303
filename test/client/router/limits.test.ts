import type { Answer } from '../support/server';
import { FAST, finished, KEY, run, useRouterAnswers } from './support/answering';

const answers = useRouterAnswers();

describe('the time for which a run keeps its connection', () => {
	test('of 10 minutes is outlived: the limit is 660 s, and no other ends the wait', async () => {
		const timers = jest.spyOn(global, 'setTimeout');
		await run(answers.answering(finished()), { maxWaitMs: 3_600_000 });
		const seconds = timers.mock.calls.map(([, milliseconds]) => Number(milliseconds)).filter((milliseconds) => milliseconds >= 100_000);
		timers.mockRestore();
		// The other is what is left of Max Wait, for an answer that has begun.
		expect(seconds).toEqual([660_000, expect.closeTo(3_600_000, -5)]);
	});

	const begun: Answer = (_request, response) => {
		response.writeHead(200, { 'content-type': 'application/json' }).write('{"done":');
	};
	test.each<[string, Answer, object]>([
		['ends an attempt, not the run', () => undefined, { holdMs: 1_000 }],
		['does not save an answer that falls silent', begun, { downloadIdleMs: 80 }],
	])('%s', async (_name, silent, limits) => {
		answers.answering(silent, finished());
		const result = await run(answers.open({ limits: { ...FAST, ...limits } }), { maxWaitMs: 60_000 });
		expect(result).toMatchObject({ output: { value: { done: true } } });
		expect(answers.keys()).toEqual([KEY, KEY]);
	});

	test('does not end an answer that has begun', async () => {
		const slowly: Answer = (request, response) => {
			void begun(request, response);
			setTimeout(() => response.end('true}'), 1_500);
		};
		answers.answering(slowly);
		await expect(run(answers.open({ limits: { ...FAST, holdMs: 1_000 } }))).resolves.toMatchObject({ output: { value: { done: true } } });
		expect(answers.calls()).toHaveLength(1);
	});
});
