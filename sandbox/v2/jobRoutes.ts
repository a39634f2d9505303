/** Reads of one job, and its cancel. */
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { findJob, requireEngine, type Service } from '../service/service';
import { withFileNames } from '../service/assets';
import type { Job } from '../service/job';
import { linesOf } from '../service/printed';
import { toIsoTime } from '../json';
import { linksFor, presentJob } from './present';

interface JobRoute {
	Params: { id: string };
}

export function v2JobRoutes(app: FastifyInstance, service: Service): void {
	const { traits, runner, ledger, surface, behaviour } = service;

	app.get<JobRoute>('/jobs/:id', (request) => {
		requireEngine(service);
		const job = findJob(service, request.account, request.params.id);
		return presentJob(job, service, linksFor(service, request));
	});

	app.get<JobRoute>('/jobs/:id/workflow', (request) => presentWorkflow(findJob(service, request.account, request.params.id), service));

	app.post<JobRoute>('/jobs/:id/cancel', (request) => {
		requireEngine(service);
		const job = findJob(service, request.account, request.params.id);
		if (!traits.selfHosted || behaviour.engineCancels) {
			if (!job.isTerminal) ledger.cancels.push({ jobId: job.id, surface, at: Date.now() });
			runner.cancel(job);
		}
		// Only this answer of the proxy says so. Its reads follow the engine's queue, where the job still runs.
		const shown = job.status === 'running' ? 'canceling' : job.status;
		return presentJob(job, service, linksFor(service, request), shown);
	});

	if (traits.selfHosted) return;
	app.get<JobRoute>('/jobs/:id/logs', (request, reply) => {
		const job = findJob(service, request.account, request.params.id);
		const text = linesOf(job).join('');
		if (text === '') return reply.code(204).send();
		return reply.send({ text, truncated: false, captured_at: toIsoTime(Date.now()), complete: job.isTerminal });
	});
}

/** `save` for a job that is pinned to a readable version; otherwise the executed graph. */
function presentWorkflow(job: Job, { traits, assets, behaviour }: Service): Record<string, unknown> {
	if (job.savedWorkflow !== undefined) return { workflow: job.savedWorkflow, format: 'save' };
	if (!traits.selfHosted && behaviour.workflowFiles === 'references') return { workflow: job.graph, format: 'api' };
	const nameOf = (assetId: string): string => assets.nameInEngine(job.account, assetId) ?? assetId;
	const contentNameOf = (assetId: string): string => {
		const { blob, filePath } = assets.get(job.account, assetId) ?? {};
		return `${blob?.hash?.replace('blake3:', '') ?? assetId}${extname(filePath ?? '')}`;
	};
	return { workflow: withFileNames(job.graph, traits.selfHosted ? nameOf : contentNameOf), format: 'api' };
}
