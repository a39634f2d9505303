/** The models of some twenty invented providers, the same in every process. */
import { clip, picturesAs } from '../generate/pictures';
import { chatAnswer, spoken } from '../generate/words';
import type { JsonSchema, Model } from '../model';
import { imageComponents, imageEdit, imageFromText, upscale, video } from '../schemas/image';
import { chat, chatComponents, sound, speech } from '../schemas/language';

interface Family {
	name: string;
	input: JsonSchema;
	components?: Record<string, JsonSchema>;
	generate(place: number): Model['generate'];
	givesBytes?: boolean;
	priceCents: number;
	ownParameters?: readonly string[];
}

const FAMILIES: readonly Family[] = [
	{
		name: 'image',
		input: imageFromText,
		components: imageComponents,
		generate: picturesAs,
		priceCents: 4,
		ownParameters: ['seed', 'guidance'],
	},
	{ name: 'edit', input: imageEdit, components: imageComponents, generate: picturesAs, priceCents: 6, ownParameters: ['strength'] },
	{ name: 'upscale', input: upscale, generate: picturesAs, priceCents: 2 },
	{ name: 'video', input: video, generate: () => clip, priceCents: 45 },
	{ name: 'chat', input: chat, components: chatComponents, generate: () => chatAnswer, priceCents: 1 },
	{ name: 'speech', input: speech, generate: () => spoken, givesBytes: true, priceCents: 3 },
	{ name: 'sound', input: sound, generate: () => spoken, givesBytes: true, priceCents: 2 },
];

const PROVIDERS = [
	'aurora',
	'birch',
	'cobalt',
	'delta-9',
	'ember',
	'fjord.ai',
	'granite',
	'harbor',
	'indigo',
	'juniper',
	'kestrel',
	'lumen',
	'meridian',
	'nimbus',
	'orchid',
	'pebble_works',
	'quartz',
	'rowan',
	'solstice',
	'tundra',
];

const VERSIONS = ['1', '1.5', '2', '2-pro', '3-fast', '3_max'];

/** The word that nobody knows must be taken for `unknown`. */
const CHARGES = ['no', 'yes', 'unknown', 'no', 'sometimes'];

/** Twelve of each provider, of two to four families. */
export function partnerModels(): Model[] {
	return PROVIDERS.flatMap((provider, place) =>
		[0, 1].flatMap((turn) =>
			VERSIONS.map((version, index) =>
				modelOf(
					provider,
					place,
					FAMILIES[(place + turn * 2 + (index % 2)) % FAMILIES.length] as Family,
					version,
					turn * VERSIONS.length + index,
				),
			),
		),
	);
}

function modelOf(provider: string, place: number, family: Family, version: string, index: number): Model {
	const name = `${family.name}-${version}`;
	return {
		id: `${provider}/${name}`,
		provider,
		model: name,
		chargesOnRefusal: CHARGES[(place + index) % CHARGES.length] as string,
		schema: schemaOf(family, place * 12 + index),
		givesBytes: family.givesBytes === true,
		priceCents: family.priceCents + (index % 3),
		tellsCredits: place % 4 !== 3,
		...(family.ownParameters !== undefined && { ownParameters: family.ownParameters }),
		generate: family.generate(place),
	};
}

/** Every eleventh model has no schema, and every thirteenth takes any object. */
function schemaOf({ input, components }: Family, number: number): Model['schema'] {
	if (number % 11 === 10) return { kind: 'none' };
	if (number % 13 === 12) return { kind: 'open' };
	return {
		kind: 'authored',
		input,
		output: { type: 'object', additionalProperties: true },
		...(components !== undefined && { components }),
	};
}
