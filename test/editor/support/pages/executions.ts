import type { Page, Response } from 'playwright-core';
import { until } from '../../../e2e/support/until';

const isBeginning = (response: Response): boolean =>
	response.request().method() === 'POST' && /\/rest\/workflows\/[^/]+\/run$/.test(new URL(response.url()).pathname);

/** What n8n answers to whoever presses a button that executes. */
export const beginningOf = async (page: Page): Promise<Response> => await page.waitForResponse(isBeginning);

/** Until that execution has ended, as n8n tells it to who is signed in there. */
export async function untilEnded(beginning: Response): Promise<void> {
	const { data } = (await beginning.json()) as { data: { executionId: string } };
	const { request } = beginning.frame().page();
	const headers = { 'browser-id': beginning.request().headers()['browser-id'] ?? '' };
	await until(`the end of execution ${data.executionId}`, async () => {
		const answer = await request.get(`/rest/executions/${data.executionId}`, { headers });
		if (!answer.ok()) throw new Error(`n8n answered ${answer.status()} to a read of an execution`);
		const { status } = ((await answer.json()) as { data: { status: string } }).data;
		return !['new', 'running'].includes(status) || undefined;
	});
}
