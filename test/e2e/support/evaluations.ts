import type { N8nRest } from '../../../scripts/n8nHost/rest';
import { until } from './until';

interface TestRun {
	status: string;
	errorCode?: string | null;
	errorDetails?: unknown;
	/** The average of each metric. */
	metrics?: Record<string, number> | null;
}

interface TestCase {
	status: string;
	metrics?: Record<string, number> | null;
	outputs?: Record<string, unknown> | null;
}

/** As *Run evaluation* on the tab *Evaluations*. Resolves when the evaluation has ended. */
export async function evaluate(rest: N8nRest, workflowId: string): Promise<{ run: TestRun; cases: TestCase[] }> {
	const runs = `/workflows/${workflowId}/test-runs`;
	const { testRunId } = (await (await rest.fetch('POST', `${runs}/new`, {})).json()) as { testRunId: string };
	const run = await until('the end of the evaluation', async () => {
		const latest = await rest.send<TestRun>('GET', `${runs}/${testRunId}`);
		return ['new', 'running'].includes(latest.status) ? undefined : latest;
	});
	return { run, cases: await rest.send<TestCase[]>('GET', `${runs}/${testRunId}/test-cases`) };
}
