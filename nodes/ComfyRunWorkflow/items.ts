import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { Job } from '../../client';
import { binaryOf, recordOf } from '../shared/jobs/download/download';
import type { LostOutput, SavedOutput } from '../shared/jobs/download/save';
import type { DownloadSettings } from '../shared/jobs/download/settings';
import { jobIds } from '../shared/jobItems';
import type { ItemResult } from '../shared/operations';

/** What *Done* gives for a job that succeeded: an item for each output, or one with all. */
export function doneItems(job: Job, all: Array<SavedOutput | LostOutput>, { outputMode, binaryField }: Pick<DownloadSettings, 'outputMode' | 'binaryField'>, more: IDataObject): ItemResult[] {
	const ids = { ...jobIds(job), ...more };
	if (outputMode === 'itemPerOutput' && all.length > 0) {
		return all.map((one) => ({ json: { ...ids, ...recordOf(one, binaryField) }, binary: binaryOf(one, binaryField) }));
	}
	const field = (index: number) => `${binaryField}_${index}`;
	const binary = Object.assign({}, ...all.map((one, index) => binaryOf(one, field(index)))) as IBinaryKeyData;
	return [{ json: { ...ids, outputs: all.map((one, index) => recordOf(one, field(index))) }, binary }];
}
