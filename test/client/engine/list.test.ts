import type { Job } from '../../../client';
import { until } from '../../support/until';
import { newGraph, useEngine } from './support/engine';

const engine = useEngine();
const HISTORY_LIST = 'GET /api/history';

/** All pages of a list, so many jobs on the first. */
async function pagesOf(limit: number): Promise<Job[][]> {
	const { jobs } = engine.connect();
	const pages: Job[][] = [];
	let cursor: string | undefined;
	do {
		const page = await jobs.list({ limit, cursor });
		pages.push(page.jobs);
		cursor = page.nextCursor;
	} while (cursor !== undefined && pages.length < 20);
	return pages;
}

async function eight(): Promise<string[]> {
	const { jobs } = engine.connect();
	const ids: string[] = [];
	for (let index = 0; index < 7; index++) ids.push((await jobs.submit({ graph: newGraph() })).job_id);
	await until(() => ids.every((id) => engine.sandbox.job(id)?.status === 'succeeded'));
	engine.sandbox.configure({ workers: 0 });
	return [(await jobs.submit({ graph: newGraph() })).job_id, ...ids.reverse()];
}

test.each([false, true])('B11: an engine is paged through to its first job, newest first (own list: %s)', async (engineJobRoutes) => {
	engine.sandbox.configure({ engineJobRoutes });
	const expected = await eight();
	const pages = await pagesOf(2);
	expect(pages.length).toBeGreaterThan(2);
	expect(pages.flat().map(({ job_id }) => job_id)).toEqual(expected);
	expect(pages.flat().map(({ status }) => status)).toEqual(['queued', ...Array.from({ length: 7 }, () => 'succeeded')]);
});

test('B11: a history that holds whole graphs is read in few requests, each page as long as all before', async () => {
	await eight();
	engine.sandbox.resetRecords();
	await pagesOf(1);
	expect(engine.requests(HISTORY_LIST).map(({ query }) => query)).toEqual(['max_items=1', 'max_items=2', 'max_items=4', 'max_items=8']);
});

test('B11: an engine without a list tells the node by its title', async () => {
	const { jobs } = engine.connect();
	const { job_id } = await jobs.submit({
		graph: {
			'4': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 77 } },
			'5': { class_type: 'SaveImage', _meta: { title: 'Cover' }, inputs: { images: ['4', 0], filename_prefix: 'cover' } },
		},
	});
	await until(() => engine.sandbox.job(job_id)?.status === 'succeeded');
	const {
		jobs: [listed],
	} = await jobs.list();
	expect(listed).toMatchObject({ job_id, first_output_node: { node_id: '5', title: 'Cover', class_type: 'SaveImage' } });
});

test('an entry of the history that tells of no job does not hide the others, from the list nor from the trigger', async () => {
	const { job_id } = await engine.connect().jobs.submit({ graph: newGraph() });
	const history = { broken: null, odd: [1], [job_id]: { status: { status_str: 'success' }, outputs: {} } };
	engine.sandbox.inject({ on: HISTORY_LIST, times: 2, answer: { status: 200, json: history } });
	const { jobs, records } = engine.connect();
	const listed = (await jobs.list()).jobs.filter(({ status }) => status === 'succeeded');
	expect([listed, await records.history(10)].map((all) => all.map((job) => job.job_id))).toEqual([[job_id], [job_id]]);
});
