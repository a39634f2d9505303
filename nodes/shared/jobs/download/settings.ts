import { readJobId } from '../../descriptions/jobId';
import { commaList, enteredText, type ReadParameter } from '../../parameters';

export interface DownloadSettings {
	jobId: string;
	outputMode: 'itemPerOutput' | 'singleItem';
	binaryField: string;
	filter: OutputFilter;
}

/** An empty list lets everything pass. */
export interface OutputFilter {
	nodeIds: string[];
	types: string[];
	/** `*` stands for any characters. */
	names: string[];
}

interface Options {
	names?: string;
	nodeIds?: string;
	types?: string[];
}

export function settings(read: ReadParameter): DownloadSettings {
	const { names = '', nodeIds = '', types = [] } = read<Options>('filters', {});
	return {
		jobId: readJobId(read),
		outputMode: read<DownloadSettings['outputMode']>('outputMode'),
		binaryField: enteredText(read<unknown>('binaryPropertyName'), 'Put Output File In Field'),
		filter: { nodeIds: commaList(String(nodeIds)), types, names: commaList(names) },
	};
}
