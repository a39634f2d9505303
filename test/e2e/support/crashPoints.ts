/** Every point in an execution at which n8n is killed. */
import type { Sandbox, SandboxJob } from '../../../sandbox';
import type { SavedWorkflow, WorkflowDocument, WorkflowNode } from '../../../scripts/n8nHost/documents';
import { EXECUTIONS, type CrashPoint, type Publish } from './crash';
import {
	always,
	crashPoint,
	DOWNLOAD_MS,
	ENDED,
	engine,
	HALF_A_FILE,
	hosted,
	ifRepeated,
	never,
	NEVER_ANSWERED,
	NEVER_LOOKED,
	NO_JOB,
	RUNNING,
	selfHosted,
	SUBMISSION_MS,
	v1,
	type Way,
} from './crashParts';
import { onRouter } from './crashRouterPoints';
import {
	call,
	colorIn,
	coloredBy,
	colorOf,
	file,
	FILE,
	one,
	ORDER,
	ordered,
	picture,
	row,
	stillRunning,
	three,
	to,
	webhook,
} from './guardedFlows';
import { comfy, line, node, TRIGGER } from './workflows';

const submitting = (way: Way): CrashPoint[] => [
	crashPoint(way, 'Submit, before the service looked', {
		workflow: (tag) => three(way.node, tag, false),
		fault: { ...way.submission, fault: NEVER_LOOKED },
		standsForMs: SUBMISSION_MS,
		jobs: NO_JOB,
		recovered: never,
	}),
	crashPoint(way, 'Submit, after it looked', {
		workflow: (tag) => three(way.node, tag, false),
		fault: { ...way.submission, fault: NEVER_ANSWERED },
		standsForMs: SUBMISSION_MS,
		jobs: ENDED,
		recovered: always,
	}),
];

const running = (way: Way): CrashPoint =>
	crashPoint(way, 'Run Workflow, waiting', { workflow: (tag) => one(way.node, tag, true), jobs: RUNNING, recovered: always });

const onHosted: CrashPoint[] = [
	crashPoint(hosted, 'Wait', { workflow: (tag) => three(comfy, tag, true), jobs: RUNNING, recovered: ifRepeated }),
	crashPoint(hosted, 'Download', {
		workflow: (tag) => three(comfy, tag, false),
		fault: HALF_A_FILE,
		standsForMs: DOWNLOAD_MS,
		jobs: ENDED,
		recovered: ifRepeated,
	}),
	crashPoint(hosted, 'Run Workflow, downloading', {
		workflow: (tag) => one(comfy, tag, false),
		fault: HALF_A_FILE,
		standsForMs: DOWNLOAD_MS,
		jobs: ENDED,
		recovered: always,
	}),
];

/** Both executions order the same. */
const equal = (order: number): number => order - (order % EXECUTIONS);

const SECOND_OF_THREE = { jobs: { made: 2, running: 1 }, bills: 3 };

const special: CrashPoint[] = [
	{
		...crashPoint(hosted, 'Run Workflow, equal data', {
			workflow: (tag) => one(comfy, tag, true),
			jobs: RUNNING,
			recovered: always,
			expected: (order) => [colorOf(equal(order))],
		}),
		begin: async (url, tag, order) => await call(url, tag, equal(order)),
	},
	crashPoint(hosted, 'Run Workflow, random seeds', {
		workflow: (tag) => one(comfy, tag, true, { options: { seeds: 'random' } }),
		jobs: RUNNING,
		recovered: always,
		readResult: async ({ json }, content, sandbox) => {
			const seed = sandbox.job(String(json.job_id))?.graph['2']?.inputs.seed;
			return { color: await colorIn(content), isOfJob: json.seed === seed, isDrawn: seed !== 1 };
		},
		expected: (order) => [{ color: colorOf(order), isOfJob: true, isDrawn: true }],
	}),
	crashPoint(hosted, 'second of three in a loop', {
		workflow: (tag) => loop(tag, ofItem(tag)),
		...SECOND_OF_THREE,
		recovered: ({ repeatsNodes }) => (repeatsNodes ? 2 : 1),
		expected: (order) => [0, 1, 2].map((part) => colorOf(order) + part),
	}),
	{
		...crashPoint(hosted, 'Form Trigger', {
			workflow: (tag) => {
				const form = node(TRIGGER, 'n8n-nodes-base.formTrigger', 2.2, {
					path: tag,
					formTitle: tag,
					formFields: { values: [{ fieldLabel: 'Order' }] },
					responseMode: 'onReceived',
					options: {},
				});
				return line(tag, [{ ...form, webhookId: tag }, comfy('comfyRunWorkflow', ordered(tag, true, 'Number($json.Order)')), file]);
			},
			jobs: RUNNING,
			recovered: always,
		}),
		begin: async (url, tag, order) => {
			const body = new FormData();
			body.set('field-0', String(order));
			return (await fetch(`${url}/form/${tag}`, { method: 'POST', body })).ok;
		},
	},
];

/** A picture in the color of its item; it stays if its item is guarded. */
function ofItem(tag: string): WorkflowNode {
	const values = [row('1.color', '={{ $json.color }}'), row('2.guarded', '={{ $json.guarded }}')];
	return comfy('comfyRunWorkflow', { workflow: JSON.stringify(picture(tag, true)), inputs: { values } });
}

/** Does this work for one of three items after the other; the second item is guarded. */
function loop(tag: string, work: WorkflowNode): WorkflowDocument {
	const list = `={{ JSON.stringify({ list: [0, 1, 2].map((part) => ({ color: ${coloredBy(ORDER).slice(3, -2)} + part, guarded: part === 1 ? 1 : 0 })) }) }}`;
	const nodes = [
		webhook(tag),
		node('List', 'n8n-nodes-base.set', 3.4, { mode: 'raw', jsonOutput: list, options: {} }),
		node('Items', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'list', options: {} }),
		node('Loop', 'n8n-nodes-base.splitInBatches', 3, { options: {} }),
	];
	const { connections, ...document } = line(tag, nodes);
	return {
		...document,
		nodes: [...nodes, work, file],
		connections: { ...connections, Loop: { main: [to(FILE), to(work.name)] }, [work.name]: { main: [to('Loop')] } },
	};
}

/** A sub-workflow that does this work. */
const called = (tag: string, work: WorkflowNode): WorkflowDocument =>
	line(`${tag}, called`, [node(TRIGGER, 'n8n-nodes-base.executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }), work, file]);

const calling = ({ id }: SavedWorkflow, waitForSubWorkflow = true): WorkflowNode =>
	node('Call', 'n8n-nodes-base.executeWorkflow', 1.2, {
		source: 'database',
		workflowId: { __rl: true, mode: 'id', value: id },
		mode: 'once',
		options: { waitForSubWorkflow },
	});

const oneCall = async (tag: string, publish: Publish, isAwaited = true): Promise<WorkflowDocument> => {
	const sub = called(tag, comfy('comfyRunWorkflow', { ...ordered(tag, true), options: { seeds: 'random' } }));
	return line(tag, [webhook(tag), calling(await publish(sub), isAwaited), file]);
};

/** What a sub-workflow delivers says there whether its job was recovered. */
const byParent: Pick<CrashPoint, 'recovered' | 'readResult'> = {
	recovered: never,
	readResult: async ({ json }, content) => [await colorIn(content), json.recovered === true],
};

const subWorkflows: CrashPoint[] = [
	crashPoint(hosted, 'sub-workflow, its parent is retried', {
		...byParent,
		workflow: oneCall,
		jobs: RUNNING,
		expected: (order) => [[colorOf(order), true]],
	}),
	crashPoint(hosted, 'sub-workflow of a sub-workflow, what began it is retried', {
		...byParent,
		workflow: async (tag, publish) => {
			const { nodes } = await oneCall(tag, publish);
			return line(tag, [webhook(tag), calling(await publish(called(`${tag}, between`, nodes[1]!))), file]);
		},
		jobs: RUNNING,
		expected: (order) => [[colorOf(order), true]],
	}),
	...[true, false].map((isAwaited) =>
		crashPoint(hosted, `sub-workflow, ${isAwaited ? 'it' : 'which its parent does not await, it'} is retried itself`, {
			workflow: async (tag, publish) => await oneCall(tag, publish, isAwaited),
			retriesCalled: true,
			jobs: RUNNING,
			recovered: always,
		}),
	),
	crashPoint(hosted, 'second of three sub-workflows in a loop', {
		...byParent,
		workflow: async (tag, publish) => loop(tag, calling(await publish(called(tag, ofItem(tag))))),
		...SECOND_OF_THREE,
		expected: (order, { repeatsNodes }) => [repeatsNodes, true, false].map((recovered, part) => [colorOf(order) + part, recovered]),
	}),
];

/** n8n keeps an execution that rests for less than 65 seconds in its memory. */
const SHORT_REST_SECONDS = 60;
/** Longer than Run Workflow waits in `stillRunning`, also on a busy machine. */
const FIRST_WAIT_IS_OVER_MS = 5_000;

const longJobs: CrashPoint[] = [
	crashPoint(hosted, 'Still Running, resting less than 65 seconds', {
		workflow: (tag) => stillRunning(tag, SHORT_REST_SECONDS),
		jobs: RUNNING,
		standsForMs: SHORT_REST_SECONDS * 1000,
		isThere: (sandbox, { jobs }) => jobs.every((job) => isBetweenWaits(sandbox, job)),
		recovered: ifRepeated,
	}),
	crashPoint(hosted, 'Still Running, waiting again', {
		workflow: (tag) => stillRunning(tag, 1),
		jobs: RUNNING,
		isThere: (sandbox, { jobs }) => jobs.every((job) => isWaitedForAgain(sandbox, job)),
		recovered: ifRepeated,
	}),
];

/** Run Workflow may stop waiting before it has opened a stream. So the number of streams does not show which node is waiting, but their age does. */
const isOld = (time: number): boolean => Date.now() - time > FIRST_WAIT_IS_OVER_MS;

const streamsOf = (sandbox: Sandbox, { id }: SandboxJob) => sandbox.requests(`GET /api/v2/jobs/${id}/events`);

const isBetweenWaits = (sandbox: Sandbox, job: SandboxJob): boolean =>
	isOld(job.createdAt) && streamsOf(sandbox, job).every(({ finished, at }) => finished && isOld(at));

const isWaitedForAgain = (sandbox: Sandbox, job: SandboxJob): boolean => {
	const open = streamsOf(sandbox, job).filter(({ finished }) => !finished);
	return open.length === 1 && open.every(({ at }) => isOld(at));
};

export const CRASH_POINTS: CrashPoint[] = [
	...longJobs,
	...onHosted,
	...special,
	...subWorkflows,
	...[hosted, selfHosted, engine, v1].flatMap((way) => [running(way), ...submitting(way)]),
	...onRouter,
];
