/** `POST /jobs`: one key, one job. */
import type { FastifyInstance } from 'fastify';
import { keyReuse, type PartnerKey, partnerKeyIn, Refusal, type Traits, unreadable } from '../service/traits';
import { requireEngine, type Service, startJob, UPSTREAM_UNREACHABLE } from '../service/service';
import { readKey } from '../http/routes';
import type { AccountName } from '../vocabulary';
import type { Job } from '../service/job';
import type { ApiGraph, GraphProblem } from '../graphEngine/types';
import { validateGraph } from '../graphEngine/validateGraph';
import { isRecord } from '../json';
import type { Behaviour } from '../behaviour';
import { addMissingFiles, checkClasses, nodeErrorsOf, PromptRefusal, soundOutputs } from '../engine/checkPrompt';
import { assetUses } from '../service/assets';
import { linksFor, presentJob } from './present';
import { type Labels, readLabels } from './listRoute';

export function submitRoute(app: FastifyInstance, service: Service): void {
	app.post('/jobs', (request, reply) => {
		const { account } = request;
		const submission = readSubmission(request.body, service);
		const key = readKey(request, (message) => unreadable(service.traits, message));
		const answer = (job: Job): unknown => reply.code(201).send(presentJob(job, service, linksFor(service, request)));
		if (key === undefined) return answer(create(service, account, submission));

		const claim = service.jobKeys.claim(account, key);
		if ('taken' in claim) {
			const first = service.jobs.get(claim.taken.madeId ?? '');
			if (service.behaviour.replaysKeys && first !== undefined) return answer(first);
			throw keyReuse();
		}
		try {
			const job = create(service, account, submission, key);
			claim.claimed.madeId = job.id;
			return answer(job);
		} catch (error) {
			if (error instanceof Refusal && error.facts.code !== UPSTREAM_UNREACHABLE) claim.release();
			throw error;
		}
	});
}

/** @throws Refusal, with no job made. */
function create(service: Service, account: AccountName, submission: SubmissionBody, idempotencyKey?: string): Job {
	requireEngine(service);
	const { graph, targets } = checkGraph(service, account, submission.workflow);
	return startJob(service, account, {
		graph,
		...(targets !== undefined && { targets }),
		partnerKey: submission.partnerKey,
		queueLimit: service.controls.queueLimit,
		...(idempotencyKey !== undefined && { idempotencyKey }),
		...(submission.metadata !== undefined && { metadata: submission.metadata }),
	});
}

const METADATA_STRING_LIMIT_BYTES = 1024;

interface SubmissionBody {
	workflow: unknown;
	partnerKey: PartnerKey | undefined;
	metadata: Labels | string | undefined;
}

/** @throws Refusal when the body is not a submission. */
function readSubmission(body: unknown, { traits, behaviour }: Service): SubmissionBody {
	if (!isRecord(body)) throw unreadable(traits, 'The body must be a JSON object');
	if (!isRecord(body.workflow)) throw new Refusal({ status: 422, code: 'invalid_workflow', message: 'workflow must be an object' });
	return {
		workflow: body.workflow,
		partnerKey: readExtraData(body.extra_data, traits, behaviour),
		metadata: readMetadata(body.metadata, traits, behaviour),
	};
}

function readExtraData(extraData: unknown, traits: Traits, { editorFiles }: Behaviour): PartnerKey | undefined {
	if (extraData === undefined || (extraData === null && traits.selfHosted)) return undefined;
	if (!isRecord(extraData)) throw unreadable(traits, 'extra_data must be an object');
	for (const [field, value] of Object.entries(extraData)) {
		if (field === 'extra_pnginfo' && editorFiles === 'accepted' && isRecord(value)) continue;
		if (!traits.extraDataFields.includes(field)) throw unreadable(traits, `extra_data has no field ${field}`);
		if (typeof value !== 'string') throw unreadable(traits, `extra_data.${field} must be a string`);
	}
	return partnerKeyIn(extraData);
}

function readMetadata(metadata: unknown, traits: Traits, { labels }: Behaviour): SubmissionBody['metadata'] {
	if (metadata === undefined) return undefined;
	if (traits.metadata === 'refused' || (traits.metadata === 'labels' && labels === 'refused'))
		throw new Refusal({ status: 422, code: 'metadata_not_supported', message: 'metadata is not supported here' });
	if (traits.metadata === 'string') {
		if (typeof metadata === 'string' && Buffer.byteLength(metadata) <= METADATA_STRING_LIMIT_BYTES) return metadata;
		throw new Refusal({ status: 422, code: 'invalid_request', message: 'metadata must be a string of at most 1 KiB' });
	}
	return labels === 'ignored' ? undefined : readLabels(metadata);
}

interface CheckedGraph {
	graph: ApiGraph;
	/** The output nodes that can be executed, where others cannot. */
	targets?: string[];
}

/** @throws Refusal `workflow_format_ui`, `invalid_workflow` or `missing_asset`. */
function checkGraph(service: Service, account: AccountName, workflow: unknown): CheckedGraph {
	const problem = validateGraph(workflow);
	const { selfHosted } = service.traits;
	if (problem !== undefined && !(selfHosted && isOfInputs(problem))) throw graphRefusal(problem, workflow, service);
	const graph = workflow as ApiGraph;
	const missing = assetUses(graph).filter(({ assetId }) => assetId === undefined || service.assets.get(account, assetId) === undefined);
	if (missing.length > 0) {
		const entries = missing.map(({ nodeId, field }) => ({ nodeId, field, reason: 'No such asset' }));
		const details = selfHosted ? { missing_ids: missing.map(({ assetId }) => assetId) } : { node_errors: listedNodeErrors(entries) };
		throw new Refusal({ status: 422, code: 'missing_asset', message: 'The workflow refers to an asset that does not exist', details });
	}
	const targets = selfHosted ? validOutputs(service, account, graph, problem) : undefined;
	return { graph, ...(targets && { targets }) };
}

/** Nodes and classes are all there. */
const isOfInputs = ({ kind, nodes }: GraphProblem): boolean =>
	kind === 'invalid' &&
	Object.keys(nodes).length > 0 &&
	Object.values(nodes).every((found) => found.every(({ field }) => field !== 'class_type' && field !== 'inputs'));

/**
 * An engine checks whether files exist and runs the valid outputs of a graph. The proxy does not report the others.
 * Undefined if all is valid.
 * @throws Refusal `invalid_workflow` if nothing is valid.
 */
function validOutputs(service: Service, account: AccountName, graph: ApiGraph, problem?: GraphProblem): string[] | undefined {
	const nodes = { ...problem?.nodes };
	addMissingFiles(nodes, graph, (value) => service.runner.hasInput(account, value));
	if (Object.keys(nodes).length === 0) return undefined;
	const sound = soundOutputs(graph, nodes);
	if (sound.length > 0) return sound;
	throw graphRefusal({ kind: 'invalid', message: 'Prompt outputs failed validation', nodes }, graph, service);
}

function graphRefusal(problem: GraphProblem, workflow: unknown, service: Service): Refusal {
	if (problem.kind === 'ui_format') return new Refusal({ status: 422, code: 'workflow_format_ui', message: problem.message });
	const entries = Object.entries(problem.nodes).flatMap(([nodeId, found]) => found.map((one) => ({ nodeId, ...one })));
	if (service.traits.selfHosted)
		return new Refusal({
			status: 422,
			code: 'invalid_workflow',
			message: sentenceOfEngine(problem, workflow, service),
			// Of a class that is missing the engine names no inputs.
			details: { node_errors: isOfInputs(problem) ? nodeErrorsOf(workflow as ApiGraph, problem.nodes) : {} },
		});
	return new Refusal({
		status: 422,
		code: 'invalid_workflow',
		message: problem.message,
		details: { node_errors: listedNodeErrors(entries) },
	});
}

/** The engine's own sentence, which the proxy passes on. */
function sentenceOfEngine({ message }: GraphProblem, workflow: unknown, service: Service): string {
	try {
		checkClasses(workflow, service);
		return message;
	} catch (error) {
		return error instanceof PromptRefusal ? error.message : message;
	}
}

/** `details.node_errors` of the hosted service: node id → list of entries with `field` and `reason`. */
function listedNodeErrors(
	entries: Array<{ nodeId: string; field: string; reason: string }>,
): Record<string, Array<{ field: string; reason: string }>> {
	const errors: Record<string, Array<{ field: string; reason: string }>> = {};
	for (const { nodeId, field, reason } of entries) (errors[nodeId] ??= []).push({ field, reason });
	return errors;
}
