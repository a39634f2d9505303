/** Runs the public client through its main jobs against COMFY_BASE_URL and prints what it saw as one line of JSON. */
import { Comfy, InvalidWorkflow, JobFailed, NotFound } from '@comfyorg/sdk';

const { apiKey, picture } = JSON.parse(process.env.SCENARIO_SETTINGS);
const client = new Comfy(apiKey === undefined ? {} : { apiKey });
const workflow = (graph) => client.workflows.fromJson(graph);
const node = (class_type, inputs) => ({ class_type, inputs });

const report = {};
for (const step of [upload, runToTheEnd, cancel, fail, refuse]) report[step.name] = await step();
console.log(JSON.stringify(report));

async function upload() {
	const bytes = Buffer.from(picture, 'base64');
	const first = client.assets.fromBytes(bytes, { filename: 'random.png' });
	const second = client.assets.fromBytes(bytes, { filename: 'random.png' });
	await first.commit();
	await second.commit();
	const fetched = await client.assets.get(first.id);
	return { id: first.id, createdNew: [first.createdNew, second.createdNew], fetchedId: fetched.id, fetchedName: fetched.filePath };
}

async function runToTheEnd() {
	const graph = workflow({
		load: node('LoadImage', { image: '' }),
		invert: node('ImageInvert', { image: ['load', 0] }),
		sample: node('SandboxSampler', { image: ['invert', 0], steps: 5, step_ms: 20, seed: 7 }),
		save: node('SaveImage', { images: ['sample', 0], filename_prefix: 'inverted' }),
	});
	graph.setInput('load', 'image', client.assets.fromBytes(Buffer.from(picture, 'base64'), { filename: 'random.png' }));
	const job = await client.submit(graph);
	const events = [];
	for await (const event of job.events()) events.push(event.kind === 'statusChange' ? event.status : event.kind);
	await job.wait(10_000);
	const [output] = job.getOutputs('save');
	const { url } = await output.getDownloadUrl();
	return {
		status: job.status,
		events,
		output: { name: output.name, type: output.type, contentType: output.contentType, nodeId: output.nodeId },
		bytes: Buffer.from(await output.toBytes()).toString('base64'),
		firstFive: Buffer.from(await output.toBytes({ range: [0, 4] })).toString('base64'),
		url,
		workflow: await (await client.jobs.get(job.id)).getWorkflow(),
	};
}

async function cancel() {
	const job = await client.submit(
		workflow({
			image: node('EmptyImage', { width: 8, height: 8, batch_size: 1, color: 0 }),
			sample: node('SandboxSampler', { image: ['image', 0], steps: 1000, step_ms: 20, seed: 8 }),
			save: node('SaveImage', { images: ['sample', 0], filename_prefix: 'never' }),
		}),
	);
	for await (const event of job.events()) if (event.kind === 'preview') break;
	await job.cancel();
	await job.wait(10_000);
	return { id: job.id, status: job.status, outputs: job.outputs.length };
}

async function fail() {
	const graph = workflow({ fail: node('SandboxFail', { message: 'out of memory', exception_type: 'OOMError' }) });
	const error = await client.run(graph).catch((error) => error);
	return { isJobFailed: error instanceof JobFailed, error: error.error };
}

async function refuse() {
	const graph = workflow({ magic: node('MagicNode', {}) });
	const invalid = await client.submit(graph).catch((error) => error);
	const unknown = await client.jobs.get('00000000-0000-4000-8000-000000000000').catch((error) => error);
	return {
		invalid: { isInvalidWorkflow: invalid instanceof InvalidWorkflow, status: invalid.httpStatus, details: invalid.details },
		unknown: { isNotFound: unknown instanceof NotFound, status: unknown.httpStatus },
	};
}
