/** n8n dies while sub-workflows wait for their jobs; what called them is retried, or they are. */
import { type Execution, importWorkflow, type SavedWorkflow, type WorkflowDocument, type WorkflowNode } from '../../scripts/n8nHost';
import { openOwnHost, type OwnHost } from './support/ownHost';
import { slowFor } from './support/graphs';
import { until } from './support/until';
import { comfy, line, node, TRIGGER } from './support/workflows';

const WITHIN_MS = 240_000;
const NODE = 'comfyRunWorkflow';
const CALL = 'Call';
const LAST = 'Last';
/** What every call is given. */
const SAME = { prompt: 'a frog' };

let host: OwnHost;
beforeAll(async () => {
	host = await openOwnHost();
	host.session.sandbox.configure({ workers: 100 });
}, WITHIN_MS);
afterAll(async () => await host.close());

type Settings = NonNullable<WorkflowDocument['settings']>;
const PROGRESS: Settings = { saveExecutionProgress: true };

const called = node(TRIGGER, 'n8n-nodes-base.executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });
const webhook = (path: string): WorkflowNode => ({
	...node(TRIGGER, 'n8n-nodes-base.webhook', 2.1, { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} }),
	webhookId: path,
});
const given = (...items: object[]): WorkflowNode[] => [
	node('List', 'n8n-nodes-base.set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify({ list: items }), options: {} }),
	node('Items', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'list', options: {} }),
];
const calling = ({ id }: SavedWorkflow, waitForSubWorkflow = true): WorkflowNode =>
	node(CALL, 'n8n-nodes-base.executeWorkflow', 1.2, {
		source: 'database',
		workflowId: { __rl: true, mode: 'id', value: id },
		mode: 'once',
		options: { waitForSubWorkflow },
	});
const last = node(LAST, 'n8n-nodes-base.noOp', 1, {});

async function published(document: WorkflowDocument, settings: Settings = {}): Promise<SavedWorkflow> {
	const { rest, credentials } = host.session;
	const workflow = await importWorkflow(rest, { ...document, settings }, credentials);
	await rest.activate(workflow);
	return workflow;
}

const GATE = '4';
/** Until a job comes to the gate: long enough to close it before the next of a loop is there. */
const TO_THE_GATE_MS = 2_000;

/** Makes one picture with a seed of its own, once the service opens its gate. */
function picture(tag: string, settings?: Settings): Promise<SavedWorkflow> {
	const workflow = JSON.stringify({
		...slowFor(TO_THE_GATE_MS),
		'3': { class_type: 'SaveImage', inputs: { images: [GATE, 0], filename_prefix: tag } },
		[GATE]: { class_type: 'SandboxGate', inputs: { image: ['2', 0] } },
	});
	return published(line(`${tag}, called`, [called, comfy(NODE, { workflow, options: { seeds: 'random' } })]), settings);
}

function looping(tag: string, sub: SavedWorkflow): WorkflowDocument {
	const loop = node('Loop', 'n8n-nodes-base.splitInBatches', 3, { options: {} });
	const { nodes, connections } = line(tag, [webhook(tag), ...given(SAME, SAME, SAME), loop]);
	const to = (name: string) => [{ node: name, type: 'main', index: 0 }];
	return {
		name: tag,
		nodes: [...nodes, calling(sub), last],
		connections: { ...connections, Loop: { main: [to(LAST), to(CALL)] }, [CALL]: { main: [to('Loop')] } },
	};
}

const jobsOf = (tag: string) => host.session.sandbox.jobs().filter(({ graph }) => graph['3']?.inputs.filename_prefix === tag);
/** The last of its jobs. */
const isAtGate = (tag: string): boolean => {
	const job = jobsOf(tag).at(-1);
	return host.session.sandbox.ledger.executedNodes.some(({ jobId, nodeId }) => jobId === job?.id && nodeId === GATE);
};
const billed = (tag: string) => {
	const ids = new Set(jobsOf(tag).map(({ id }) => id));
	return host.session.sandbox.ledger.runs.filter(({ jobId }) => ids.has(jobId)).length;
};
const idsOf = async ({ id }: SavedWorkflow) => (await host.session.rest.executions(id)).map((execution) => execution.id);

const begin = async (tag: string) =>
	await until(`${tag} to begin`, async () =>
		(await fetch(`${host.session.rest.url}/webhook/${tag}`, { method: 'POST' })).ok ? true : undefined,
	);

/** Where n8n dies: each while the last job of it runs. */
interface Place {
	tag: string;
	what: string;
	parent: SavedWorkflow;
	/** Of our node. */
	sub: SavedWorkflow;
	/** What is retried; the parent by default. */
	retries?: SavedWorkflow;
	jobs: number;
	/** What its retry delivers, in order: jobs by their number, found or not. */
	delivers: Array<[job: number, found: boolean]>;
}

async function places(): Promise<Place[]> {
	const once = async (tag: string, what: string, more: { waits?: boolean; isRetried?: boolean } = {}): Promise<Place> => {
		const sub = await picture(tag);
		const parent = await published(line(tag, [webhook(tag), ...given(SAME), calling(sub, more.waits), last]));
		return { tag, what, parent, sub, ...(more.isRetried && { retries: sub }), jobs: 1, delivers: [[0, true]] };
	};
	const looped = async (tag: string, what: string, settings: Settings, firstIsFound: boolean): Promise<Place> => {
		const sub = await picture(tag, settings);
		return {
			tag,
			what,
			parent: await published(looping(tag, sub), settings),
			sub,
			jobs: 2,
			delivers: [
				[0, firstIsFound],
				[1, true],
				[2, false],
			],
		};
	};
	const inner = await picture('nested');
	const between = await published(line('nested, between', [called, calling(inner)]));
	const nested = await published(line('nested', [webhook('nested'), ...given(SAME), calling(between), last]));
	return [
		await once('parent', 'its parent is retried'),
		await once('itself', 'it is retried itself', { isRetried: true }),
		await once('unwaited', 'nobody waits for it, it is retried itself', { waits: false, isRetried: true }),
		{
			tag: 'nested',
			what: 'called by a sub-workflow, what began it is retried',
			parent: nested,
			sub: inner,
			jobs: 1,
			delivers: [[0, true]],
		},
		await looped('loop', 'second of three calls with the same items', {}, true),
		await looped('saved', 'the same, with progress saved', PROGRESS, false),
	];
}

/** Begins these, and lets the first job of each pass. */
async function passFirst(loops: Place[]): Promise<void> {
	const { sandbox } = host.session;
	for (const { tag } of loops) await begin(tag);
	await until('the first jobs', () => loops.every(({ tag }) => isAtGate(tag)) || undefined);
	const first = loops.map(({ tag }) => jobsOf(tag)[0]);
	sandbox.configure({ gateOpen: true });
	await until('the end of the first jobs', () => first.every((job) => job?.status === 'succeeded') || undefined);
	sandbox.configure({ gateOpen: false });
}

async function retry({ parent, retries = parent }: Place): Promise<Execution> {
	const { rest } = host.session;
	const [id = ''] = await idsOf(retries);
	await rest.waitFor(id, { until: ({ status }) => status === 'crashed' });
	return await rest.waitFor(await rest.retry(id), { timeoutMs: 90_000 });
}

test(
	'n8n killed with -9 while sub-workflows wait for their jobs: each is billed once, and delivered by the retry',
	async () => {
		const { sandbox } = host.session;
		sandbox.configure({ gateOpen: false });
		const all = await places();
		await passFirst(all.filter(({ jobs }) => jobs > 1));
		for (const { tag, jobs } of all) if (jobs === 1) await begin(tag);
		await until('all jobs', () => all.every(({ tag, jobs }) => jobsOf(tag).length === jobs && isAtGate(tag)) || undefined);
		await host.killN8n();
		sandbox.configure({ gateOpen: true });
		await host.startN8n();

		const table = await Promise.all(
			all.map(async (place) => {
				const { data } = await retry(place);
				const ids = jobsOf(place.tag).map(({ id }) => id);
				const items = Object.entries(data.resultData.runData).flatMap(([name, runs]) =>
					name === (place.retries ? NODE : LAST) ? (runs.at(-1)?.data?.main[0] ?? []) : [],
				);
				const files = await Promise.all(
					items.map(async ({ binary }) => (await host.session.rest.binary(binary?.data?.id ?? 'none')).length > 0),
				);
				return {
					what: place.what,
					billed: billed(place.tag),
					delivered: items.map(({ json }, index) => (files[index] ? [ids.indexOf(String(json.job_id)), json.recovered === true] : [])),
					failure: data.resultData.error?.message,
				};
			}),
		);
		process.stdout.write(
			`\n${table.map(({ what, billed: bills, delivered, failure }) => [what, `billed ${bills}`, `delivered ${delivered.length}`, failure ?? ''].join('  ')).join('\n')}\n`,
		);
		expect(table).toEqual(all.map(({ what, delivers }) => ({ what, billed: delivers.length, delivered: delivers, failure: undefined })));
	},
	WITHIN_MS,
);
