import type { Job, JobOutput } from './job';
import type { OutputItem, RunFrames } from '../socket/runFrames';

export interface ReportedOutput {
	/** Of the node's results, e.g. `images`. */
	key: string;
	item: OutputItem;
	/** Engines say so of videos. */
	animated?: boolean;
}

/** Turns the news of one job into the frames of its run. @param report how the surface names what a node has made. */
export function followRun(job: Job, frames: RunFrames, report: (output: JobOutput) => ReportedOutput): void {
	job.listen((news) => {
		if (news.kind === 'engine') frames.take(news.event);
		if (news.kind === 'output') {
			const { key, item, animated = false } = report(news.output);
			frames.output(news.output.nodeId, key, item);
			if (animated) frames.animated(news.output.nodeId);
		}
		if (news.kind !== 'status') return;
		if (job.status === 'running') frames.start();
		if (job.status === 'succeeded') frames.succeed();
		if (job.status === 'failed' && job.error !== null) frames.fail(job.error);
		if (job.status === 'canceled' && job.startedAt !== null) frames.interrupt();
	});
}
