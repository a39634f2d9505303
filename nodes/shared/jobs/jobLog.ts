import { stripVTControlCharacters } from 'node:util';

import { clock, type Connection, type Job, type JobLog, outcomeOf } from '../../../client';
import { requireRoute } from '../connect/requireRoute';
import { ItemFault } from '../itemFault';
import { messages } from '../messages/catalogue';
import type { ItemRun } from '../operation';
import { secretMask } from '../withoutSecrets';
import { conversionContext, useControlServer } from '../workflows/controlServer';

const MOST_BYTES = 64 * 1024;
/** Each call of a model costs money by its length. */
const MOST_BYTES_FOR_MODEL = 4_000;

/** A failed job is reported after this time even if its log has not arrived. */
const READ_LIMIT_MS = 5_000;
const LINES_OF_FAILURE = 40;

/** The end of a log, as items contain it. */
interface LogEnd {
	log: string;
	/** The number of lines in `log`. */
	lines: number;
	log_of: JobLog['of'];
	/** False if `log` does not begin with the first line, or if more lines may follow. */
	is_complete: boolean;
}

/**
 * Reads the last lines of the log of a job, without colors and secrets, and at most 64 KiB of them. The API proxy has no
 * logs, so the log of the ComfyUI behind it is read.
 * @throws ItemFault if there is no log.
 */
export async function readLogEnd(item: ItemRun, job: Job, mostLines: number, signal = item.shutdownSignal): Promise<LogEnd> {
	const { text, of, isComplete } = await readLog(item, job, signal);
	const lines = toLines(text);
	const last = lines.slice(-mostLines).join('\n');
	// Half of a secret is not recognized, so more than what remains is masked.
	const masked = secretMask(item.credential)(endOf(last, 2 * MOST_BYTES));
	const log = endOf(masked, item.isTool ? MOST_BYTES_FOR_MODEL : MOST_BYTES);
	const isWhole = isComplete && lines.length <= mostLines && log === masked;
	return { log, lines: log === '' ? 0 : log.split('\n').length, log_of: of, is_complete: isWhole };
}

/** Returns the field `log` of a failed job: its last lines; null if they cannot be read. */
export async function readLogOfFailure(item: ItemRun, job: Job): Promise<{ log: string | null }> {
	const signal = AbortSignal.any([item.shutdownSignal, clock.signalAfter(READ_LIMIT_MS)]);
	const read = await outcomeOf(readLogEnd(item, job, LINES_OF_FAILURE, signal));
	return { log: read.ok ? read.value.log : null };
}

async function readLog(item: ItemRun, job: Job, signal: AbortSignal): Promise<JobLog> {
	const read = async ({ jobs }: Connection): Promise<JobLog | undefined> =>
		jobs.log && (await requireRoute(messages.SERVER_LOG_CLOSED(), jobs.log(job, { signal })));
	const own = await read(item.connection);
	if (own !== undefined) return own;
	const server = await conversionContext(item, signal).findControlServer();
	const log = server && (await useControlServer(item, server, read));
	if (log === undefined) throw new ItemFault(messages.JOB_LOG_MISSING(job.job_id));
	return log;
}

/** A progress bar overwrites its line, so only its last state is shown. */
const visiblePart = (line: string): string => (line.split('\r').findLast(Boolean) ?? '').replace(/[^\P{Cc}\t]/gu, '');

/** Returns the lines as a terminal shows them. */
function toLines(text: string): string[] {
	const lines = stripVTControlCharacters(text).split('\n').map(visiblePart);
	return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Returns the last lines of a text that are at most this long in UTF-8, or the end of the last line. */
function endOf(text: string, mostBytes: number): string {
	const bytes = Buffer.from(text);
	if (bytes.length <= mostBytes) return text;
	const end = bytes.subarray(-mostBytes).toString();
	return end.slice(end.indexOf('\n') + 1).replace(/^\uFFFD+/, '');
}
