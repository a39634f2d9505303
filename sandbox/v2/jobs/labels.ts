/** Labels of jobs, which deployments keep: their rules are those that the public client's README and the list's page in the public documentation give. */
import { isRecord } from '../../records';
import { Refusal } from '../../service/refusal';

export type Labels = Record<string, string>;

const MOST_LABELS = 16;
const MOST_FILTERS = 3;
const LONGEST_VALUE_BYTES = 256;
const KEY = /^[A-Za-z0-9_.-]{1,40}$/;
/** Controls, and what turns the direction of writing. */
const BARRED = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

const isValue = (value: unknown): value is string =>
	typeof value === 'string' && Buffer.byteLength(value) <= LONGEST_VALUE_BYTES && !BARRED.test(value);

/** @throws Refusal `metadata_invalid`. */
export function readLabels(metadata: unknown): Labels {
	const refuse = (message: string): never => {
		throw new Refusal({ status: 422, code: 'metadata_invalid', message });
	};
	if (!isRecord(metadata)) return refuse('metadata must map strings to strings');
	const pairs = Object.entries(metadata);
	if (pairs.length > MOST_LABELS) return refuse(`metadata has ${pairs.length} pairs, and may have ${MOST_LABELS}`);
	const odd = pairs.find(([key, value]) => !KEY.test(key) || !isValue(value));
	return odd === undefined ? (metadata as Labels) : refuse(`metadata.${odd[0]} is no label`);
}

/** `metadata[<key>]=<value>` of a query. @throws Refusal `invalid_metadata_filter`. */
export function readFilters(query: Record<string, string | string[]>): Labels {
	const filters: Labels = {};
	for (const [name, value] of Object.entries(query)) {
		const key = /^metadata\[(.*)\]$/.exec(name)?.[1];
		if (key === undefined) continue;
		if (!KEY.test(key) || typeof value !== 'string' || BARRED.test(value)) throw badFilter();
		filters[key] = value;
	}
	if (Object.keys(filters).length > MOST_FILTERS) throw badFilter();
	return filters;
}

const badFilter = (): Refusal =>
	new Refusal({ status: 400, code: 'invalid_metadata_filter', message: `Write metadata[<key>]=<value>, at most ${MOST_FILTERS} times` });
