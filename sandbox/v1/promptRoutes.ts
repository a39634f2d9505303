/** `POST /api/prompt`: every submission is a job of its own. `GET /api/prompt`: how many are left. */
import type { FastifyInstance } from 'fastify';
import type { AccountName } from '../vocabulary';
import { startJob } from '../service/startJob';
import { Refusal } from '../service/refusal';
import { isPartnerKeyField } from '../service/traits';
import type { Service } from '../service/service';
import { invalid } from './refusals';
import { isRecord, isTexts } from '../records';
import { checkWorkflow } from './checkWorkflow';

export function promptRoutes(app: FastifyInstance, service: Service): void {
	app.get('/prompt', ({ account }) => ({ exec_info: { queue_remaining: queueRemaining(service, account) } }));

	app.post('/prompt', ({ account, body }) => {
		if (service.controls.unsubscribed.has(account)) {
			throw new Refusal({ status: 429, code: 'subscription_inactive', message: 'An active subscription is required to run workflows' });
		}
		const { prompt, partnerKey, targets } = readSubmission(body);
		const graph = checkWorkflow(service, prompt);
		const number = service.jobs.size;
		const job = startJob(service, account, { graph, inputIds: new Set(), partnerKey, queueLimit: Infinity, ...(targets && { targets }) });
		return { prompt_id: job.id, number, node_errors: {} };
	});
}

/** Jobs of an account that have not ended. */
export const queueRemaining = ({ jobs }: Service, account: AccountName): number =>
	[...jobs.values()].filter((job) => job.account === account && !job.terminal).length;

interface Submission {
	prompt: unknown;
	partnerKey: { field: string; value: string } | undefined;
	/** Nodes to execute in place of all output nodes. */
	targets: string[] | undefined;
}

/** `number` and `front` are for engines of one's own; this service ignores them. @throws Refusal. */
function readSubmission(body: unknown): Submission {
	if (!isRecord(body) || body.prompt === undefined) throw invalid('prompt is required');
	const { prompt, extra_data: extraData = {}, partial_execution_targets: targets } = body;
	if (!isRecord(extraData)) throw invalid('extra_data must be an object');
	if (targets !== undefined && !isTexts(targets)) throw invalid('partial_execution_targets must be a list of node ids');
	const [field, value] = Object.entries(extraData).find(([name]) => isPartnerKeyField(name)) ?? [];
	if (field === undefined) return { prompt, partnerKey: undefined, targets };
	if (typeof value !== 'string') throw invalid(`extra_data.${field} must be a string`);
	return { prompt, partnerKey: { field, value }, targets };
}
