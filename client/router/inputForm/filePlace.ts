import { isRecord, type JsonRecord } from '../../records';
import { leafKindOf } from './leaf';
import { settle, type Settled } from './settle';

/** `messages[0].image` → `['messages', 0, 'image']`; undefined for what is no such path. */
export function pathOf(text: string): Array<string | number> | undefined {
	if (!/^[^.[\]]+(\.[^.[\]]+|\[\d+\])*$/.test(text)) return undefined;
	return [...text.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => (index === undefined ? String(name) : Number(index)));
}

function below({ schema, alternatives, trail }: Settled, step: string | number, document: JsonRecord): Settled[] {
	const own = typeof step === 'number' ? schema.items : isRecord(schema.properties) && Object.hasOwn(schema.properties, step) ? schema.properties[step] : schema.additionalProperties;
	const here = own === undefined || own === false ? [] : [settle(own, document, trail)];
	return [...here, ...alternatives.flatMap((one) => below(one, step, document))];
}

function takesText(settled: Settled): boolean {
	const leaf = leafKindOf(settled);
	return leaf.kind === 'text' || (leaf.kind === 'mixed' && (leaf.takes.size === 0 || leaf.takes.has('string')));
}

const hasTextItems = (settled: Settled, document: JsonRecord): boolean => below(settled, 0, document).some(takesText);

/**
 * Whether a model takes text at a place of its body: a file can then be sent there as a data URI.
 * @returns `list` where it takes a list of texts; undefined where it takes neither.
 */
export function filePlace(schema: JsonRecord, document: JsonRecord, path: Array<string | number>): 'text' | 'list' | undefined {
	const places = path.reduce<Settled[]>((at, step) => at.flatMap((one) => below(one, step, document)), [settle(schema, document)]);
	if (places.some(takesText)) return 'text';
	return places.some((one) => hasTextItems(one, document)) ? 'list' : undefined;
}
