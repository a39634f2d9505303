import { isRecord, type JsonRecord } from '../../decode';
import { leafKindOf } from './leaf';
import { settle, type Settled } from './settle';

/** `messages[0].image` → `['messages', 0, 'image']`; undefined for what is no such path. */
export function inputPath(text: string): Array<string | number> | undefined {
	if (!/^[^.[\]]+(\.[^.[\]]+|\[\d+\])*$/.test(text)) return undefined;
	return [...text.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => (index === undefined ? String(name) : Number(index)));
}

function below({ schema, alternatives, trail }: Settled, step: string | number, document: JsonRecord): Settled[] {
	const own =
		typeof step === 'number'
			? schema.items
			: isRecord(schema.properties) && Object.hasOwn(schema.properties, step)
				? schema.properties[step]
				: schema.additionalProperties;
	const here = own === undefined || own === false ? [] : [settle(own, document, trail)];
	return [...here, ...alternatives.flatMap((one) => below(one, step, document))];
}

function takesText(settled: Settled): boolean {
	const leaf = leafKindOf(settled);
	return leaf.kind === 'text' || (leaf.kind === 'mixed' && (leaf.takes.size === 0 || leaf.takes.has('string')));
}

const hasTextItems = (settled: Settled, document: JsonRecord): boolean => below(settled, 0, document).some(takesText);

/** Such a text is the file's bytes alone, without the head of a data URI. */
const isBareBase64 = ({ schema }: Settled): boolean => schema.contentEncoding === 'base64' || schema.format === 'byte';

/** `dataUri`: a text; `list`: a list of such texts. */
export type FilePlace = 'dataUri' | 'base64' | 'list';

/** How a model takes a file at a place of its body; undefined where it takes no text. */
export function filePlace(schema: JsonRecord, document: JsonRecord, path: Array<string | number>): FilePlace | undefined {
	const places = path.reduce<Settled[]>((at, step) => at.flatMap((one) => below(one, step, document)), [settle(schema, document)]);
	const texts = places.filter(takesText);
	if (texts.length > 0) return texts.every(isBareBase64) ? 'base64' : 'dataUri';
	return places.some((one) => hasTextItems(one, document)) ? 'list' : undefined;
}
