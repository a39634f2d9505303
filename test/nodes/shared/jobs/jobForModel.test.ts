/** What the model of an AI agent reads about a job. */
import type { IDataObject } from 'n8n-workflow';

import { connect, type Job, type JobOutput } from '../../../../client';
import { minimalJob } from '../../../../client/comfyui/jobRecords';
import { toJobForModel, toOutputsForModel } from '../../../../nodes/shared/jobs/jobForModel';
import { serve, type TestServer } from '../../../client/support/server';

/** Serves a text of 100,000 characters at each address but `/gone`. */
let server: TestServer;
beforeAll(async () => {
	server = await serve(({ url }, response) => void response.writeHead(url === '/gone' ? 404 : 200).end('a b '.repeat(25_000)));
});
afterAll(async () => await server.close());
beforeEach(() => server.seen.splice(0));

const output = (changes: Partial<JobOutput> = {}): JobOutput => ({
	node_id: '1',
	name: 'a.png',
	type: 'image',
	content_type: 'image/png',
	size_bytes: 10,
	id: null,
	hash: null,
	url: 'https://example.test/a.png',
	url_expires_at: null,
	...changes,
});

async function describeJob(changes: Partial<Job>, status = 'succeeded', onlyOutputs = false): Promise<IDataObject> {
	const connection = connect({ interface: 'v2', baseUrl: server.origin });
	const job = { ...minimalJob('j', 'v2', status, status), ...changes };
	const { signal } = new AbortController();
	const source = { connection, signal, credential: { token: '', partnerKey: '' } } as never;
	const described = await (onlyOutputs ? toOutputsForModel(source, job) : toJobForModel(source, { job, outputs: job.outputs }));
	await connection.close();
	return described;
}
const describeOutput = async (changes: Partial<JobOutput>): Promise<unknown> =>
	((await describeJob({ outputs: [output(changes)] })).outputs as IDataObject[])[0];
const file = (content_type: string): Partial<JobOutput> => ({ type: 'file', content_type, size_bytes: 100_000, url: `${server.origin}/a` });

it.each<[string, Partial<JobOutput>]>([
	['is longer than 200 characters', { url: `https://example.test/${'a'.repeat(200)}` }],
	['expires', { url_expires_at: '2026-11-20T10:00:00Z' }],
	['contains a signature', { url: 'https://example.test/a?x-sig=1' }],
	['contains a token', { url: 'https://example.test/a?b=1&access_token=1' }],
])('a link that %s is left out', async (_, changes) => {
	expect(await describeOutput(changes)).not.toHaveProperty('url');
});

it.each(['text/plain', 'application/json'])('the beginning of a long file with the type %s is read as text', async (type) => {
	const { text } = (await describeOutput(file(type))) as { text: string };
	expect(text).toMatch(/^a b .*… \(the beginning of a long text\)$/);
	expect(text.length).toBeLessThan(3_100);
});

it('only the first four texts are read', async () => {
	const texts = Array.from({ length: 5 }, (_, index) => output({ url: null, text: `cat ${index}` }));
	const { outputs } = await describeJob({ outputs: [output({ url: null }), ...texts] });
	expect((outputs as IDataObject[]).map(({ text }) => text)).toEqual([undefined, 'cat 0', 'cat 1', 'cat 2', 'cat 3', undefined]);
});

it('a finished job with files says how to get them, and other jobs do not', async () => {
	const withFile = await describeJob({ outputs: [output()] });
	expect(withFile).toHaveProperty('next');
	expect(await describeJob({ outputs: [output({ url: null, text: 'a cat' })] })).not.toHaveProperty('next');
	const running = await describeJob({ outputs: [output()] }, 'running');
	expect(running.next).not.toBe(withFile.next);
	expect(running).not.toHaveProperty('queue_position');
	expect(await describeJob({ queue_position: 2 }, 'queued')).toMatchObject({ queue_position: 2 });
});

it('20 outputs are shown, also of a failed job, of which only the outputs are returned', async () => {
	const outputs = Array.from({ length: 22 }, (_, index) => output({ name: `${index}.png` }));
	for (const onlyOutputs of [false, true]) {
		const described = await describeJob({ outputs }, 'failed', onlyOutputs);
		expect(described.outputs).toHaveLength(20);
		expect(described).toMatchObject({ outputs_not_shown: 2, next: expect.any(String) });
		expect('job_id' in described).toBe(!onlyOutputs);
	}
	expect(await describeJob({ outputs: outputs.slice(0, 1) }, 'failed', true)).toMatchObject({ outputs: [{ name: '0.png' }] });
	expect(await describeJob({}, 'failed', true)).toEqual({});
});

it('a text that cannot be read is left out', async () => {
	const [text, gone] = (
		await describeJob({ outputs: [output(file('text/plain')), output({ ...file('text/plain'), url: `${server.origin}/gone` })] })
	).outputs as IDataObject[];
	expect(text).toHaveProperty('text');
	expect(gone).not.toHaveProperty('text');
});

it('a job whose outputs are unavailable says so', async () => {
	expect(await describeJob({ outputs_unavailable: true })).toMatchObject({ outputs_unavailable: true });
});

it('a long reason of a failure is shortened', async () => {
	const job_error = { code: 'c', message: 'm'.repeat(1_000), node_id: '1', class_type: null, traceback: 't' };
	const described = await describeJob({ job_error }, 'failed');
	expect(described.job_error).toEqual({ code: 'c', node_id: '1', message: expect.any(String) });
	expect((described.job_error as { message: string }).message.length).toBeLessThan(560);
});
