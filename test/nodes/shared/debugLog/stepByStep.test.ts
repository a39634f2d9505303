import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { until } from '../../../support/until';
import { NODE_NAME, type NodeRun } from '../../support/engine';
import { fileItem } from '../../support/files';
import { credentialFor } from '../../support/flavours';
import { plain, runLogged } from '../../support/log';
import { sharedSandbox } from '../../support/sandbox';

interface ExampleNode {
	name: string;
	type: string;
	parameters: IDataObject;
}

const sandbox = sharedSandbox();

const { nodes: exampleNodes } = JSON.parse(readFileSync(join(__dirname, '../../../../examples/step-by-step.json'), 'utf8')) as {
	nodes: ExampleNode[];
};
const PACKAGE = 'n8n-nodes-comfy.';
const steps = exampleNodes.filter(({ type }) => type.startsWith(PACKAGE));

const picture = (): NodeRun['items'] => {
	const assignments = exampleNodes.find(({ name }) => name === 'Example Image (Base64)')?.parameters.assignments as {
		assignments: Array<{ value: string }>;
	};
	return [fileItem(Buffer.from(assignments.assignments[0]?.value ?? '', 'base64'), 'picture.png')];
};

const STORY = `
Upload
Comfy: the item starts: comfyUploadAsset upload, interface v2, server http://HOST
Comfy: HEAD http://HOST/api/v2/assets/by-hash/blake3:HASH → 404 in TIME
Comfy: the service does not have this file: the node sends it
Comfy: POST http://HOST/api/v2/assets → 201 in TIME
Comfy: the item ends after TIME: 1 result
Submit
Comfy: the item starts: comfySubmitWorkflow, interface v2, server http://HOST
Comfy: the node submits the item with idempotency key ID
Comfy: POST http://HOST/api/v2/jobs → 201 in TIME
Comfy: job ID is submitted
Comfy: the item ends after TIME: 1 result, job ID has status queued
Wait
Comfy: the item starts: comfyWaitForJob, interface v2, server http://HOST
Comfy: the node waits for job ID by live events, at most TIME
Comfy: GET http://HOST/api/v2/jobs/ID → 200 in TIME
Comfy: job ID has status queued, queue position 1 (job request)
Comfy: GET http://HOST/api/v2/jobs/ID/events → 200 in TIME
Comfy: job ID has status running (live event)
Comfy: job ID has status succeeded (live event)
Comfy: GET http://HOST/api/v2/jobs/ID → 200 in TIME
Comfy: the item ends after TIME: 1 result, job ID has status succeeded
Get Workflow
Comfy: the item starts: comfyGetWorkflow, interface v2, server http://HOST
Comfy: GET http://HOST/api/v2/jobs/ID/workflow → 200 in TIME
Comfy: GET http://HOST/api/v2/jobs/ID → 200 in TIME
Comfy: the item ends after TIME: 1 result, job ID has status succeeded
Download
Comfy: the item starts: comfyDownloadOutputs, interface v2, server http://HOST
Comfy: GET http://HOST/api/v2/jobs/ID → 200 in TIME
Comfy: the node downloads output "first-picture_00001_.png" of node "3" (3084 bytes)
Comfy: GET http://HOST/… → 200 in TIME
Comfy: output "first-picture_00001_.png" of node "3" is saved: 3084 bytes in TIME
Comfy: the item ends after TIME: 1 result, job ID has status succeeded
`;

test('the log of Step by Step has every step from the upload to the file', async () => {
	sandbox.configure({ workers: 0 });
	void until(() => sandbox.requests('GET /api/v2/jobs/:id/events').length > 0).then(() => sandbox.configure({ workers: 1 }));
	let items = picture();
	const story: string[] = [];
	for (const { name, type, parameters } of steps) {
		const node = type.slice(PACKAGE.length) as NodeRun['node'];
		const { result, lines } = await runLogged({ node, credential: credentialFor(sandbox), parameters, items, executionId: '17' });
		expect(result.error).toBeUndefined();
		items = result.outputs[0] as INodeExecutionData[];
		story.push(name, ...lines.map(({ message }) => plain(message)));
		for (const { level, metadata } of lines) {
			expect(level).toBe('debug');
			expect(metadata).toMatchObject({ node: NODE_NAME, item: 0, executionId: '17' });
		}
		const isOfJob = name !== 'Upload';
		expect(lines.at(-1)?.metadata.jobId).toEqual(isOfJob ? items?.[0]?.json?.job_id : undefined);
		expect(lines.some(({ metadata }) => /^req_/.test(String(metadata.requestId)))).toBe(true);
	}
	expect(story).toEqual(STORY.trim().split('\n'));
});
