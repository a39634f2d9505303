import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { importWorkflow, itemsOf, readExample, type WorkflowDocument, type WorkflowNode } from '../../scripts/n8nHost';
import { quick, slowFor } from './support/graphs';
import { openSession, type Session } from './support/session';
import { submitJob } from './support/submitJob';
import { publish } from './support/triggers';
import { until } from './support/until';

const HOUR_MS = 60 * 60 * 1000;

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

function nodeOf({ name, nodes }: WorkflowDocument, type: string): WorkflowNode {
	const found = nodes.find((node) => node.type === type);
	if (!found) throw new Error(`${name} has no node of type ${type}`);
	return found;
}

async function pixelsOf(file: Buffer, channels: 3 | 4): Promise<{ data: Buffer; size: string }> {
	const image = channels === 3 ? sharp(file).removeAlpha() : sharp(file).ensureAlpha();
	const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
	return { data, size: `${info.width} x ${info.height}` };
}

test('mask-inputs inverts the picture where the mask is transparent, over v1 alone', async () => {
	const example = await readExample('mask-inputs');
	const execution = await session.execute(example);
	expect(execution.data.resultData.error).toBeUndefined();
	const fileOf = async (node: string): Promise<Buffer> =>
		await session.rest.binary(itemsOf(execution, node)[0]?.binary?.data?.id ?? 'none');
	const picture = await pixelsOf(await fileOf('Picture'), 3);
	const mask = await pixelsOf(await fileOf('Mask'), 4);
	const output = await pixelsOf(await fileOf('Download'), 3);

	const isMasked = (value: number): boolean => mask.data[Math.floor(value / 3) * 4 + 3] === 0;
	expect([mask.size, output.size]).toEqual([picture.size, picture.size]);
	expect([...output.data]).toEqual([...picture.data].map((value, index) => (isMasked(index) ? 255 - value : value)));
	const masked = [...picture.data.keys()].filter(isMasked).length;
	expect(masked).toBeGreaterThan(1000);
	expect(masked).toBeLessThan(picture.data.length / 2);
	expect(session.sandbox.requests('POST /api/upload/mask')).toHaveLength(1);
	expect(session.sandbox.requests().filter(({ path }) => path.startsWith('/api/v2'))).toEqual([]);
});

async function receiver() {
	const received: Array<Record<string, unknown>> = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			received.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>);
			response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		received,
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/progress`,
		close: async () => void (await new Promise((resolve) => server.close(resolve))),
	};
}

test('progress-to-webhook reports milestones, outputs and the end to the address that its user enters', async () => {
	const webhook = await receiver();
	const example = await readExample('progress-to-webhook');
	nodeOf(example, 'n8n-nodes-base.httpRequest').parameters.url = webhook.url;
	const trigger = await publish(session, example);
	await until('the socket', () => session.sandbox.sockets('hosted').at(0));
	const jobId = await submitJob(session.sandbox, slowFor(1_000));
	const executions = await trigger.until(5);
	await trigger.deactivate();
	await webhook.close();

	expect(executions.map(({ status }) => status)).toEqual(Array(5).fill('success'));
	const { received } = webhook;
	const outputs = received.find(({ kind }) => kind === 'output')?.outputs;
	expect(outputs).toEqual([expect.stringMatching(/\.png$/)]);
	const milestone = (percent: number) => ({ kind: 'milestone', milestone: percent, status: 'running', outputs: [] });
	const expected = [
		...[25, 50, 75].map(milestone),
		{ kind: 'output', milestone: null, outputs },
		{ kind: 'finished', milestone: null, status: 'succeeded', percent: 100, outputs },
	];
	// Executions run side by side: they start in order, and may arrive in another.
	expect(received).toHaveLength(expected.length);
	for (const one of expected) expect(received).toContainEqual(expect.objectContaining({ ...one, job_id: jobId, problem: null }));
	for (const one of received) expect(Object.keys(one)).toEqual(['job_id', 'kind', 'percent', 'milestone', 'status', 'outputs', 'problem']);
});

test('queue-janitor removes a job that waits for too long, and leaves the others', async () => {
	const { sandbox, rest } = session;
	sandbox.configure({ workers: 0 });
	const [old = '', fresh = ''] = [await submitJob(sandbox, quick), await submitJob(sandbox, quick)];
	const job = sandbox.job(old) as { createdAt: number };
	job.createdAt -= HOUR_MS + 60_000;

	const example = await readExample('queue-janitor');
	const schedule = nodeOf(example, 'n8n-nodes-base.scheduleTrigger');
	const workflow = await importWorkflow(rest, example, session.credentials);
	const execution = await rest.waitFor(await rest.run(workflow, schedule.name));
	expect(execution.data.resultData.error).toBeUndefined();
	expect(itemsOf(execution, 'Get Queue').map(({ json }) => json.job_id)).toEqual([old, fresh]);
	expect(itemsOf(execution, 'Delete From Queue').map(({ json }) => json)).toEqual([
		{ job_id: old, interface: 'v1', was: 'queued', deleted: true },
	]);
	expect([old, fresh].map((id) => sandbox.job(id)?.status)).toEqual(['canceled', 'queued']);
	sandbox.configure({ workers: 2 });
});
