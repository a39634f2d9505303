import { isRecord } from '../../../client';

export const isEmptyWorkflow = (source: unknown): boolean =>
	source === undefined ||
	source === null ||
	(typeof source === 'string' && /^(\{\s*\})?$/.test(source.trim())) ||
	(isRecord(source) && Object.keys(source).length === 0);
