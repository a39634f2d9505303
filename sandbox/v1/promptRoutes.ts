/** Submitting a workflow, and the queue of an account. */
import type { FastifyInstance } from 'fastify';
import type { AccountName } from '../vocabulary';
import { type Service, startJob } from '../service/service';
import { type PartnerKey, partnerKeyIn } from '../service/traits';
import { isRecord } from '../json';
import { outputNodeIds } from '../graphEngine/readGraph';
import type { Job } from '../service/job';
import type { ApiGraph, GraphProblem } from '../graphEngine/types';
import { validateGraph } from '../graphEngine/validateGraph';
import { describeProblems, nodeErrorsOf } from '../engine/checkPrompt';
import { invalid, readIdSelection, WorkflowRefusal } from './refusals';

export function promptRoutes(app: FastifyInstance, service: Service): void {
	app.get('/prompt', ({ account }) => ({ exec_info: { queue_remaining: queueRemaining(service, account) } }));

	app.post('/prompt', ({ account, body }) => {
		const { prompt, partnerKey } = readSubmission(body);
		const graph = checkWorkflow(prompt);
		const number = service.jobs.size;
		const job = startJob(service, account, { graph, partnerKey });
		return { prompt_id: job.id, number, node_errors: {} };
	});
}

/** Jobs of an account that have not ended. */
const jobsInFlight = ({ jobs }: Service, account: AccountName): Job[] =>
	[...jobs.values()].filter((job) => job.account === account && !job.isTerminal);

export const queueRemaining = (service: Service, account: AccountName): number => jobsInFlight(service, account).length;

/** Ignores the fields that only engines use. @throws Refusal. */
function readSubmission(body: unknown): { prompt: unknown; partnerKey: PartnerKey | undefined } {
	if (!isRecord(body) || body.prompt === undefined) throw invalid('prompt is required');
	const { prompt, extra_data: extraData = {} } = body;
	if (!isRecord(extraData)) throw invalid('extra_data must be an object');
	return { prompt, partnerKey: partnerKeyIn(extraData) };
}

export function v1QueueRoutes(app: FastifyInstance, service: Service): void {
	const { behaviour, jobs, ledger, runner, surface } = service;
	const isPending = ({ status }: Job): boolean => status === 'queued';
	const cancel = (job: Job): void => {
		ledger.cancels.push({ jobId: job.id, surface, at: Date.now() });
		runner.cancel(job);
	};

	app.get('/queue', ({ account }) => {
		const numbers = new Map([...jobs.keys()].map((id, number) => [id, number]));
		const entry = ({ id, graph, createdAt }: Job): unknown[] => [
			numbers.get(id),
			id,
			graph,
			outputNodeIds(graph),
			{ create_time: createdAt },
		];
		const all = jobsInFlight(service, account);
		return {
			queue_running: all.filter((job) => !isPending(job)).map(entry),
			queue_pending: all.filter(isPending).map(entry),
		};
	});

	app.post('/queue', ({ account, body }) => {
		const { ids, clear } = readIdSelection(body);
		const chosen = jobsInFlight(service, account).filter((job) => {
			if (clear && isPending(job)) return true;
			return ids.includes(job.id) && (isPending(job) || behaviour.v1QueueDelete === 'pending_and_running');
		});
		for (const job of chosen) cancel(job);
		return { deleted: chosen.filter(({ id }) => ids.includes(id)).map(({ id }) => id), cleared: clear };
	});

	app.post('/interrupt', ({ account }, reply) => {
		for (const job of jobsInFlight(service, account)) if (!isPending(job)) cancel(job);
		return reply.code(200).send();
	});
}

/** For problems of these types, only the first node is reported, without `node_errors`. */
const BEFORE_VALIDATION = ['missing_node_type', 'invalid_prompt'];

/** @throws WorkflowRefusal. */
function checkWorkflow(workflow: unknown): ApiGraph {
	const problem = validateGraph(workflow);
	if (problem === undefined) return workflow as ApiGraph;
	const [nodeId, first] = Object.entries(problem.nodes)[0] ?? [];
	const early = first?.find(({ type }) => BEFORE_VALIDATION.includes(type));
	if (nodeId !== undefined && early !== undefined) {
		const error = {
			type: early.type,
			message: early.reason,
			details: `Node ID '#${nodeId}'`,
			extra_info: { node_id: nodeId, class_type: early.class_type },
		};
		throw new WorkflowRefusal({ error, node_errors: {} }, { [nodeId]: describeProblems(first ?? []) });
	}
	const error = { type: typeOf(problem), message: problem.message, details: detailsOf(problem), extra_info: {} };
	const nodeErrors = isRecord(workflow) ? nodeErrorsOf(workflow as ApiGraph, problem.nodes) : {};
	throw new WorkflowRefusal({ error, node_errors: nodeErrors }, nodeErrors);
}

function typeOf({ nodes, message }: GraphProblem): string {
	if (Object.keys(nodes).length > 0) return 'prompt_outputs_failed_validation';
	return message === 'Prompt has no outputs' ? 'prompt_no_outputs' : 'invalid_prompt';
}

const detailsOf = ({ nodes }: GraphProblem): string =>
	Object.entries(nodes)
		.map(([nodeId, found]) => `* ${found[0]?.class_type ?? ''} ${nodeId}:\n${found.map(({ reason }) => `  - ${reason}`).join('\n')}`)
		.join('\n');
