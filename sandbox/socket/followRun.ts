import type { Job, JobOutput } from '../v2/jobs/job';
import type { OutputFile, RunFrames } from './runFrames';

export interface ReportedFile {
	/** Of the node's results, e.g. `images`. */
	key: string;
	file: OutputFile;
}

/** Turns the news of one job into the frames of its run. @param report how the surface names a file. */
export function followRun(job: Job, frames: RunFrames, report: (output: JobOutput) => ReportedFile): void {
	job.listen((news) => {
		if (news.kind === 'engine') frames.take(news.event);
		if (news.kind === 'output') {
			const { key, file } = report(news.output);
			frames.output(news.output.nodeId, key, file);
		}
		if (news.kind !== 'status') return;
		if (job.status === 'running') frames.start();
		if (job.status === 'succeeded') frames.succeed();
		if (job.status === 'failed' && job.error !== null) frames.fail(job.error);
		if (job.status === 'canceled' && job.startedAt !== null) frames.interrupt();
	});
}
