import { isOfType, type JobOutput } from '../../../../client';
import { binaryField, outputMode, readJobId } from '../../descriptions/jobFields';
import { readOptions } from '../../options';
import { commaList, type ReadParameter } from '../../parameters';
import { imageOptions, type ImageSettings } from './options';

export interface DownloadSettings {
	jobId: string;
	outputMode: 'itemPerOutput' | 'singleItem';
	binaryField: string;
	filter: OutputFilter;
	image: ImageSettings;
}

/** Filters of outputs. An empty list lets each output pass. */
interface OutputFilter {
	nodeIds: string[];
	types: string[];
	/** `*` stands for any characters. */
	names: string[];
}

interface DownloadFilters {
	names?: string;
	nodeIds?: string;
	types?: string[];
}

export function settings(read: ReadParameter): DownloadSettings {
	const { names = '', nodeIds = '', types = [] } = read<DownloadFilters>('filters', {});
	return {
		jobId: readJobId(read),
		outputMode: outputMode.read(read<unknown>('outputMode'), false),
		binaryField: binaryField.read(read<unknown>('binaryPropertyName'), false),
		filter: { nodeIds: commaList(String(nodeIds)), types, names: commaList(names) },
		image: readOptions(imageOptions, read),
	};
}

/** `*` stands for any text. This is not a regular expression, because many stars are slow on a long name. */
function matchesPattern(pattern: string, name: string): boolean {
	const text = name.toLowerCase();
	const [first = '', ...parts] = pattern.toLowerCase().split('*');
	const last = parts.pop();
	if (last === undefined) return text === first;
	if (!text.startsWith(first)) return false;
	let at = first.length;
	for (const part of parts) {
		const found = text.indexOf(part, at);
		if (found < 0) return false;
		at = found + part.length;
	}
	return text.length - last.length >= at && text.endsWith(last);
}

const isEmptyOrSome = (wanted: string[], test: (value: string) => boolean): boolean => wanted.length === 0 || wanted.some(test);

/** Whether an output passes all three filters. */
export const passesFilter = (output: JobOutput, { nodeIds, types, names }: OutputFilter): boolean =>
	isEmptyOrSome(nodeIds, (id) => id === output.node_id) &&
	isEmptyOrSome(types, (type) => isOfType(output, type)) &&
	isEmptyOrSome(names, (pattern) => matchesPattern(pattern, output.name));
