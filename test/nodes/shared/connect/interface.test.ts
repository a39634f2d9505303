import { type INode, type INodeProperties, NodeHelpers } from 'n8n-workflow';

import { editorFile } from '../../support/editorFiles';
import { type Credential, type NodeRun, nodes, runNode } from '../../support/engine';
import { downloadRun, fileItem, uploadRun } from '../../support/files';
import { credentialFor } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { manageRun } from '../../support/manage';
import { runRun } from '../../support/run';
import { finished, jsons, submitRun, waitRun } from '../../support/submit';
import { solidPicture } from '../../support/pictures';
import { sharedSandbox } from '../../support/sandbox';

const sandbox = sharedSandbox();
let jobIds: { deployment: string; hosted: string };
let picture: Buffer;
beforeAll(async () => {
	jobIds = { deployment: await finished(sandbox, colorGraph(1), over('v2')), hosted: await finished(sandbox, colorGraph(2), over('v1')) };
	picture = await solidPicture('#2468ac');
});

/** Base URL is a deployment, so that it differs from Hosted URL. */
const over = (name: 'v2' | 'v1', changes = {}): Credential => ({ ...credentialFor(sandbox, 'deployment', changes), interface: name });

type Run = [node: string, run: (credential: Credential, jobId: string) => NodeRun];
const runs: Run[] = [
	['Upload Asset', (credential) => uploadRun(credential, [fileItem(picture)])],
	['Submit Workflow', (credential) => submitRun(credential, colorGraph(3))],
	['Wait For Job', (credential, jobId) => waitRun(credential, [jobId])],
	['Download Outputs', (credential, jobId) => downloadRun(credential, [jobId])],
	['Manage Jobs', (credential, jobId) => manageRun(credential, 'job:get', { parameters: { jobId } })],
];

const seen = () => sandbox.requests().filter(({ surface }) => surface !== 'storage');

describe.each(runs)('Comfy %s', (_, run) => {
	it.each<['v2' | 'v1', 'deployment' | 'hosted']>([
		['v2', 'deployment'],
		['v1', 'hosted'],
	])('calls %s only at its own address (%s), with the key in its own header', async (name, surface) => {
		const { status, outputs } = await runNode(run(over(name), jobIds[surface]));
		expect([status, outputs[0]?.[0]?.json.interface]).toEqual(['success', name]);
		expect(seen().length).toBeGreaterThan(0);
		for (const request of seen()) {
			const { authorization, 'x-api-key': key } = request.headers;
			expect([request.surface, request.path.startsWith('/api/v2/')]).toEqual([surface, name === 'v2']);
			expect(authorization).toBe(name === 'v2' ? `Bearer ${sandbox.keys.apiKey}` : undefined);
			if (request.path !== '/ws') expect(key).toBe(name === 'v1' ? sandbox.keys.apiKey : undefined);
		}
	});

	it('may choose by an expression, each item for itself', async () => {
		const once = run(over('v2'), '={{ $json.job_id }}');
		const [first] = once.items ?? [{}];
		const items = [
			{ ...first, json: { via: 'v1', job_id: jobIds.hosted } },
			{ ...first, json: { via: 'v2', job_id: jobIds.deployment } },
		];
		const result = await runNode({ ...once, items, parameters: { ...once.parameters, options: { interface: '={{ $json.via }}' } } });
		expect(jsons(result).map((item) => item.interface)).toEqual(['v1', 'v2']);
		expect(new Set(seen().map(({ surface }) => surface))).toEqual(new Set(['hosted', 'deployment']));
	});
});

it.each([
	['self_hosted', 'v1'],
	['hosted', 'engine'],
	['deployment', 'engine'],
] as const)('two nodes ignore the interface that was chosen for another credential (%s, %s)', async (way, chosen) => {
	const credential = credentialFor(sandbox, way);
	const jobId = await finished(sandbox, colorGraph(4), credential);
	sandbox.resetRecords();
	const other = { ...credential, interface: chosen };
	for (const run of [submitRun(other, colorGraph(3)), waitRun(other, [jobId])]) {
		const result = await runNode(run);
		expect([result.error?.message, jsons(result)[0]?.interface]).toEqual([undefined, 'v2']);
	}
	expect(new Set(seen().map(({ surface }) => surface))).toEqual(new Set([way]));
});

/** A saved workflow whose picture is a file of the item. */
const savedAs = (prefix: string): object => {
	const [, save] = editorFile(1).nodes as object[];
	const outputs = [{ name: 'IMAGE', type: 'IMAGE', links: [1] }];
	const load = { id: 1, type: 'LoadImage', mode: 0, inputs: [], outputs, widgets_values: ['room.png', 'image'] };
	return editorFile(1, { nodes: [load, { ...save, widgets_values: [prefix] }] });
};

it('two items with two credentials run the workflows that two servers saved under one name, each with its own key and file, and both free their memory or say why not', async () => {
	sandbox.saveWorkflow('twin.json', savedAs('hosted'), { surface: 'hosted' });
	sandbox.saveWorkflow('twin.json', savedAs('self_hosted_token'), { surface: 'engine' });

	const own = credentialFor(sandbox, 'self_hosted_token');
	const png = await solidPicture('#13579b');
	const run = runRun({ ...credentialFor(sandbox, 'hosted'), interface: undefined }, undefined, {
		items: ['comfyApi', 'comfySelfHostedApi'].map((name) => ({ ...fileItem(png), json: { with: name } })),
		otherCredential: own,
		parameters: {
			authentication: '={{ $json.with }}',
			workflowSource: 'saved',
			savedWorkflow: { __rl: true, mode: 'list', value: 'twin.json' },
			files: { values: [{ input: { __rl: true, mode: 'name', value: '1.image' }, from: 'binary', binaryPropertyName: 'data' }] },
			options: { freeMemory: 'whenDone' },
		},
	});
	const result = await runNode(run);
	expect(result.error).toBeUndefined();
	// The first request to each service also has the workflow of the editor, which it rejects.
	const accepted = sandbox.requests('POST /api/v2/jobs').filter(({ status }) => status === 201);
	const submissions = accepted.map(({ surface, headers, bodyText }) => {
		const { workflow } = JSON.parse(bodyText) as { workflow: ReturnType<typeof colorGraph> };
		return [surface, workflow['2']?.inputs.filename_prefix, headers.authorization];
	});
	expect(submissions.toSorted()).toEqual([
		['hosted', 'hosted', `Bearer ${sandbox.keys.apiKey}`],
		['self_hosted_token', 'self_hosted_token', `Bearer ${sandbox.keys.bearer}`],
	]);
	expect(new Set(sandbox.requests('POST /api/v2/assets').map(({ surface }) => surface)).size).toBe(2);
	expect(result.hints).toEqual([expect.stringMatching(/manages its memory itself/)]);
	expect(sandbox.ledger.frees).toHaveLength(1);
});

it('a word that is not an interface is reported with the field and its values', async () => {
	const { error } = await runNode(submitRun(over('v2'), colorGraph(5), { parameters: { options: { interface: '={{ "v3" }}' } } }));
	expect(error?.message).toBe('Interface "v3" does not exist');
	expect(error?.description).toMatch(/^Choose one of these values under Interface in Options: automatic, v2, /);
});

/** Which of them the surface has at all: test/package/surface.json. */
it.each([
	['comfySubmitWorkflow', 'idempotencyKeyMode', ['v2', 'engine', 'automatic']],
	['comfySubmitWorkflow', 'idempotencyKey', ['v2', 'engine', 'automatic']],
	['comfyUploadAsset', 'skipIfAlreadyStored', ['v2', 'automatic']],
	['comfyUploadAsset', 'tags', ['v2', 'automatic']],
	['comfyUploadAsset', 'expiresInMinutes', ['v2', 'automatic']],
	['comfyUploadAsset', 'imageType', ['v1', 'engine', 'automatic']],
	['comfyUploadAsset', 'overwrite', ['v1', 'engine', 'automatic']],
] as const)('%s shows the option %s over %j alone, and in a fresh node', (node, option, expected) => {
	const { description } = nodes[node];
	const isShown = (parameters: INode['parameters']): boolean => {
		const values = { ...NodeHelpers.getNodeParameters(description.properties, parameters, true, true, null, description), ...parameters };
		return description.properties
			.filter((one) => one.name === 'options' && NodeHelpers.displayParameter(values, one, null, description))
			.flatMap(({ options }) => (options as INodeProperties[]).filter(({ name }) => name === option))
			.some((one) => NodeHelpers.displayParameterPath(values, one, 'options', null, description));
	};
	for (const authentication of ['comfyApi', 'comfySelfHostedApi']) {
		const shown = ['v2', 'v1', 'engine', 'automatic'].filter((name) =>
			isShown({ authentication, operation: 'upload', options: { interface: name } }),
		);
		expect(shown).toEqual(expected);
	}
	expect(isShown({ authentication: 'comfyApi', operation: 'upload' })).toBe(true);
});
