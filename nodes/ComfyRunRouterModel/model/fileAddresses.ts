import { isRecord } from '../../../client';

export interface FileAddress {
	/** Where it stands in the output, e.g. `images[0].url`. */
	path: string;
	/** http, https or a data URI. */
	url: string;
}

const isAddress = (text: string): boolean => (/^https?:\/\/\S+$/i.test(text) && URL.canParse(text)) || /^data:[^,\s]*,/i.test(text);

function addressesIn(value: unknown, path: string): FileAddress[] {
	if (typeof value === 'string') return isAddress(value) ? [{ path, url: value }] : [];
	if (Array.isArray(value)) return value.flatMap((one, index) => addressesIn(one, `${path}[${index}]`));
	if (!isRecord(value)) return [];
	return Object.entries(value).flatMap(([name, one]) => addressesIn(one, path === '' ? name : `${path}.${name}`));
}

/** The addresses that an output holds, each once; those of the input are no results. */
export function fileAddresses(output: unknown, input: unknown): FileAddress[] {
	const seen = new Set(addressesIn(input, '').map(({ url }) => url));
	return addressesIn(output, '').filter(({ url }) => !seen.has(url) && seen.add(url) !== undefined);
}
