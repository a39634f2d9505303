import { listOf, recordsOf, requireRecord, textOr } from '../json/decode';
import { ShapeError } from '../errors/errors';
import type { CallOptions } from '../ports/jobService';
import type { JobLog } from '../ports/job';
import type { Engine } from '../generated/engine';
import type { EngineApi } from './api';

/** ComfyUI keeps only this many of the newest entries. An entry is what was printed at once, mostly a line. */
const MOST_ENTRIES = 300;

/** Reads what the server printed, for all jobs together. */
export async function readServerLog(api: EngineApi, options: CallOptions = {}): Promise<JobLog> {
	return await api.read(api.url('/logs/raw', '/internal'), decodeLog, options);
}

function decodeLog(value: unknown): JobLog {
	const { entries } = requireRecord<Engine['ServerLog']>(value, 'response');
	if (!Array.isArray(entries)) throw new ShapeError('response has no entries');
	const text = recordsOf(entries)
		.map(({ m }) => textOr(m, ''))
		.join('');
	return { text, of: 'server', isComplete: listOf(entries).length < MOST_ENTRIES };
}
