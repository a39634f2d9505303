import sharp from 'sharp';
import { importCredentials, readExample, type WorkflowDocument } from '../../../scripts/n8nHost/documents';
import { saveServer } from '../support/engine';
import { nodeOf } from '../support/exampleRuns';
import { gated } from '../support/graphs';
import { type Assistant, connectAssistant } from '../support/mcpClient';
import { openSession, type Session } from '../support/session';
import { publish, type Published } from '../support/triggers';
import { until } from '../support/until';

const TOKEN = 'a-long-random-token';
const WRONG_TOKEN = 'another-long-random-token';

let session: Session;
let published: Published | undefined;
let assistants: Assistant[];
beforeEach(async () => {
	session = await openSession();
	assistants = [];
});
afterEach(async () => {
	for (const assistant of assistants) await assistant.close();
	await published?.deactivate();
	published = undefined;
	await session.close();
});

/** As a user sets it up: with the token, the credential of a ComfyUI, and another workflow in generate_image. */
async function serve(change: (example: WorkflowDocument) => void = () => undefined): Promise<void> {
	const example = await readExample('mcp-server');
	nodeOf(example, 'ComfyUI').credentials = { httpBearerAuth: { id: null, name: '' } };
	change(example);
	const token = await importCredentials(session.rest, [{ name: 'Token', type: 'httpBearerAuth', data: { token: TOKEN } }]);
	const hosted = session.credentials.filter(({ type }) => type === 'comfyApi');
	published = await publish(session, example, [...hosted, ...(await saveServer(session)), ...token]);
}

async function connect(token = TOKEN, transport: 'http' | 'sse' = 'http'): Promise<Assistant> {
	const assistant = await connectAssistant(`${session.rest.url}/mcp/comfyui`, token, transport);
	assistants.push(assistant);
	return assistant;
}

/** The only item in a tool's answer. */
function jobIn(text: string): Record<string, unknown> {
	const items = JSON.parse(text) as Array<Record<string, unknown>>;
	expect(items).toHaveLength(1);
	return items[0] ?? {};
}

const runIds = (): string[] => session.sandbox.ledger.runs.map(({ jobId }) => jobId);

test.each(['http', 'sse'] as const)(
	'an assistant reads the tools and their fields over %s, and a wrong token is rejected',
	async (transport) => {
		await serve();
		await expect(connect(WRONG_TOKEN, transport)).rejects.toThrow(transport === 'http' ? 'Authorization data is wrong!' : '403');
		const { client } = await connect(TOKEN, transport);
		expect(client.getServerVersion()?.name).toBe('ComfyUI');
		expect(client.getInstructions()).toContain('To get another image, or to try a failed job again, use another seed.');
		const { tools } = await client.listTools();
		const byName = Object.fromEntries(tools.map(({ name, description, inputSchema }) => [name, { description, inputSchema }]));
		expect(Object.keys(byName).sort()).toEqual(['check_job', 'generate_image', 'list_models']);
		const { description, inputSchema } = byName.generate_image ?? {};
		expect(description).toContain(`${session.rest.url}/webhook/comfyui-image?job_id=JOB_ID `);
		expect(inputSchema).toMatchObject({ type: 'object', required: ['prompt'] });
		expect(inputSchema?.properties).toEqual({
			prompt: { type: 'string', description: 'A description of the image, in English' },
			seed: { type: 'number', description: expect.stringContaining('another seed'), default: 1 },
			avoid: { type: 'string', description: expect.stringContaining('must not be in the image'), default: 'text, watermark' },
			model: { type: 'string', description: expect.stringContaining('list_models'), default: 'v1-5-pruned-emaonly-fp16.safetensors' },
		});
		expect(byName.check_job?.inputSchema).toMatchObject({ required: ['job_id'], properties: { job_id: { type: 'string' } } });
		expect(byName.list_models?.inputSchema.properties).toEqual({ text: expect.objectContaining({ type: 'string', default: '' }) });
		expect(session.sandbox.ledger.runs).toEqual([]);
	},
);

test('a call makes one job with its fields, and the link in the description returns the image', async () => {
	await serve();
	const { client, call } = await connect();
	const { text, isError } = await call('generate_image', { prompt: 'a "red" fox', seed: 42, model: 'daylight_v2.safetensors' });
	expect(isError).toBe(false);
	const job = jobIn(text);
	expect(runIds()).toEqual([job.job_id]);
	expect(job).toMatchObject({
		status: 'succeeded',
		outputs: [
			{
				name: expect.stringMatching(/^assistant_\d+_\.png$/),
				content_type: 'image/png',
				url: expect.stringContaining(`${session.sandbox.urls.engine}/api/view?filename=assistant_`),
			},
		],
	});
	expect(text).not.toMatch(/base64|Signature/);
	const graph = session.sandbox.job(String(job.job_id))?.graph;
	expect(graph?.['6']?.inputs.text).toBe('a "red" fox');
	expect(graph?.['7']?.inputs.text).toBe('text, watermark');
	expect(graph?.['3']?.inputs.seed).toBe(42);
	expect(graph?.['4']?.inputs.ckpt_name).toBe('daylight_v2.safetensors');

	const { tools } = await client.listTools();
	const link = /http\S+job_id=/.exec(tools.find(({ name }) => name === 'generate_image')?.description ?? '')?.[0] ?? 'none';
	const image = await fetch(`${link}${String(job.job_id)}`);
	expect(image.headers.get('content-type')).toBe('image/png');
	const file = Buffer.from(await image.arrayBuffer());
	expect(await sharp(file).metadata()).toMatchObject({ format: 'png', width: 512, height: 512 });
	const [output] = job.outputs as Array<{ url: string }>;
	const direct = await fetch(String(output?.url));
	expect(Buffer.from(await direct.arrayBuffer()).equals(file)).toBe(true);

	const missing = await fetch(`${link}0b7a3c1e-58a8-4f4e-9d5e-6a3a5d1d0c11`);
	expect([missing.status, await missing.text()]).toEqual([404, 'The server has no job with this ID']);
	expect(runIds()).toEqual([job.job_id]);
});

test('a call that is repeated after a lost answer returns the job of the first call, whose end check_job returns', async () => {
	const { sandbox } = session;
	sandbox.configure({ gateOpen: false });
	await serve((example) => {
		const options = { maxWaitMinutes: 0.02 };
		Object.assign(nodeOf(example, 'generate_image').parameters, { workflow: JSON.stringify(gated(11)), inputs: {}, options });
		Object.assign(nodeOf(example, 'check_job').parameters, options);
		for (const { type, parameters } of example.nodes) if (type.startsWith('n8n-nodes-comfy.')) parameters.authentication = 'comfyApi';
	});
	const { call } = await connect();
	await expect(call('generate_image', {}, { timeout: 300 })).rejects.toThrow('Request timed out');
	const jobId = await until('the job of the lost call', () => runIds()[0]);
	const again = jobIn((await call('generate_image', {})).text);
	expect(again).toMatchObject({ job_id: jobId, status: 'running', next: expect.stringContaining('Check it again later with this job_id') });
	expect(jobIn((await call('check_job', { job_id: jobId })).text)).toMatchObject({ job_id: jobId, status: 'running' });
	sandbox.configure({ gateOpen: true });
	const end = await until('the end of the job', async () => {
		const { status, ...job } = jobIn((await call('check_job', { job_id: jobId })).text);
		return status === 'succeeded' ? job : undefined;
	});
	expect(end).toMatchObject({ job_id: jobId, outputs: [{ name: expect.stringMatching(/^slow.*\.png$/), content_type: 'image/png' }] });
	expect(runIds()).toEqual([jobId]);
});

test('your own ComfyUI runs a repeated call again, under the id of the first job', async () => {
	await serve();
	const { call } = await connect();
	const first = jobIn((await call('generate_image', { prompt: 'a red fox' })).text);
	const again = jobIn((await call('generate_image', { prompt: 'a red fox' })).text);
	expect([first.status, again.status]).toEqual(['succeeded', 'succeeded']);
	expect(again.job_id).toBe(first.job_id);
	expect(session.sandbox.requests('POST /api/prompt')).toHaveLength(2);
	const other = jobIn((await call('generate_image', { prompt: 'a red fox', seed: 2 })).text);
	expect(other.job_id).not.toBe(first.job_id);
});

test('an assistant lists the checkpoints, and reads why a wrong one or a missing field is rejected', async () => {
	await serve();
	const { call } = await connect();
	const names = (text: string) => (JSON.parse(text) as Array<{ name: string }>).map(({ name }) => name);
	expect(names((await call('list_models', {})).text)).toEqual([
		'v1-5-pruned-emaonly-fp16.safetensors',
		'daylight_v2.safetensors',
		'midnight_v1.safetensors',
	]);
	expect(names((await call('list_models', { text: 'midnight' })).text)).toEqual(['midnight_v1.safetensors']);
	expect(await call('generate_image', { prompt: 'a red fox', model: 'sdxl.safetensors' })).toEqual({
		isError: true,
		text: expect.stringMatching(/Load Checkpoint · ckpt_name\) does not offer the value "sdxl\.safetensors"\nNothing was sent\./),
	});
	expect(await call('generate_image', {})).toEqual({
		isError: true,
		text: expect.stringMatching(/did not match expected schema[^]*at prompt/),
	});
	expect(runIds()).toEqual([]);
});
