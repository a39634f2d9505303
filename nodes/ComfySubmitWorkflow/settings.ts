import { readReferenceRows } from '../shared/inputFiles/rows';
import { readSubmitSettings, type SubmitSettings } from '../shared/jobs/submit/settings';
import { readOptions } from '../shared/options';
import type { ReadParameter } from '../shared/parameters';
import { cancelOnStop, keepTrying } from './description';

export const settings = (read: ReadParameter): SubmitSettings => ({
	...readSubmitSettings(read),
	...readOptions({ cancelOnStop, keepTryingForMs: keepTrying }, read),
	inputFiles: readReferenceRows(read),
	keepTryingField: keepTrying.label,
	isAwaited: false,
});
