/** Jobs that the hosted surface has from the start, for every answer of GET workflow. */
import type { ApiGraph } from '../graphEngine/types';
import type { SandboxSeeds } from '../types';
import type { AccountName } from '../vocabulary';
import { editorWorkflow } from './editorWorkflow';
import { Job, NO_PROGRESS } from './job';

export const SEEDS: Readonly<SandboxSeeds> = {
	pinnedJob: '11111111-1111-4111-8111-111111111111',
	deletedVersionJob: '22222222-2222-4222-8222-222222222222',
	expiredJob: '33333333-3333-4333-8333-333333333333',
	foreignJob: '44444444-4444-4444-8444-444444444444',
};

const EXECUTED_GRAPH: ApiGraph = {
	'1': { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 1, color: 0x336699 } },
	'2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'seed' } },
};

/** The four seeded jobs, all succeeded an hour ago. */
export function seededJobs(): Job[] {
	const finished = (id: string, account: AccountName): Job => {
		const job = new Job({ id, surface: 'hosted', account, graph: EXECUTED_GRAPH });
		job.createdAt -= 60 * 60 * 1000;
		job.status = 'succeeded';
		job.startedAt = job.createdAt + 500;
		job.completedAt = job.createdAt + 2_500;
		job.progress = { ...NO_PROGRESS, value: 1, nodes_done: 2, nodes_total: 2 };
		return job;
	};
	const pinned = finished(SEEDS.pinnedJob, 'main');
	pinned.savedWorkflow = editorWorkflow(0x336699, 'seed');
	const expired = finished(SEEDS.expiredJob, 'main');
	expired.expiresAt = Date.now() - 1;
	return [pinned, finished(SEEDS.deletedVersionJob, 'main'), expired, finished(SEEDS.foreignJob, 'other')];
}
