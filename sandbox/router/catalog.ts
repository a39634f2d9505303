/** All models of the router: those of some twenty invented providers, and those that exist for tests. */
import type { AccountName } from '../vocabulary';
import { isClosedTo, type JsonSchema, type Model, type ModelParams } from './model';
import { RouterRefusal } from './refusals';
import {
	answerLater,
	fallBack,
	answerChat,
	generateClip,
	echoInput,
	failGeneration,
	answerOfSize,
	generatePictures,
	refuseInput,
	generateSpeech,
} from './generate';
import {
	chat,
	chatComponents,
	imageComponents,
	imageEdit,
	imageFromText,
	object,
	prompt,
	seed,
	sound,
	speech,
	upscale,
	video,
} from './schemas';
import { everyFeature, everyFeatureComponents, failing, large, refusing, slow } from './labSchemas';

const MOST_SUGGESTIONS = 3;

export class Catalog {
	readonly models: readonly Model[] = [...partnerModels(), ...labModels()].sort((left, right) => (left.id < right.id ? -1 : 1));
	readonly providers: readonly string[] = [...new Set(this.models.map(({ provider }) => provider))];

	/** @throws RouterRefusal `model_not_found`, which suggests up to three similar ids that the account may use. */
	find({ provider, model }: ModelParams, account: AccountName): Model {
		const id = `${provider}/${model}`;
		const found = this.models.find((candidate) => candidate.id === id);
		if (found !== undefined) return found;
		const similar = this.#similarTo(id, account);
		const suggestions = similar.length > 0 ? `. Did you mean ${similar.join(', ')}?` : '';
		throw new RouterRefusal({ status: 404, bucket: 'model_not_found', detail: `No runnable model ${id.slice(0, 200)}${suggestions}` });
	}

	/** Ids that share more than half of their letter pairs, the most similar first. */
	#similarTo(id: string, account: AccountName): string[] {
		const wanted = pairs(id.toLowerCase());
		return this.models
			.filter((model) => !isClosedTo(model, account))
			.map((model) => ({ id: model.id, similarity: similarity(wanted, pairs(model.id)) }))
			.filter((candidate) => candidate.similarity > 0.5)
			.sort((left, right) => right.similarity - left.similarity)
			.slice(0, MOST_SUGGESTIONS)
			.map((candidate) => candidate.id);
	}
}

const pairs = (text: string): Set<string> => new Set([...text].slice(1).map((letter, index) => `${text[index] ?? ''}${letter}`));

function similarity(left: Set<string>, right: Set<string>): number {
	const common = [...left].filter((pair) => right.has(pair)).length;
	return (2 * common) / Math.max(1, left.size + right.size);
}

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
		generate: generatePictures,
		priceCents: 4,
		ownParameters: ['seed', 'guidance'],
	},
	{ name: 'edit', input: imageEdit, components: imageComponents, generate: generatePictures, priceCents: 6, ownParameters: ['strength'] },
	{ name: 'upscale', input: upscale, generate: generatePictures, priceCents: 2 },
	{ name: 'video', input: video, generate: () => generateClip, priceCents: 45 },
	{ name: 'chat', input: chat, components: chatComponents, generate: () => answerChat, priceCents: 1 },
	{ name: 'speech', input: speech, generate: () => generateSpeech, givesBytes: true, priceCents: 3 },
	{ name: 'sound', input: sound, generate: () => generateSpeech, givesBytes: true, priceCents: 2 },
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

/** Clients must treat the undocumented value `sometimes` as `unknown`. */
const CHARGES = ['no', 'yes', 'unknown', 'no', 'sometimes'];

/** Twelve models for each provider, from two to four families. */
function partnerModels(): Model[] {
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
		reportsCredits: place % 4 !== 3,
		...(family.ownParameters !== undefined && { ownParameters: family.ownParameters }),
		generate: family.generate(place),
	};
}

/** Every eleventh model has no schema, and every thirteenth accepts any object. */
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

const authored = (input: JsonSchema, components?: Record<string, JsonSchema>): Model['schema'] => ({
	kind: 'authored',
	input,
	...(components !== undefined && { components }),
});

type Rest = Partial<Model> & Pick<Model, 'schema' | 'generate'>;

const lab = (name: string, rest: Rest, provider = 'lab'): Model => ({
	id: `${provider}/${name}`,
	provider,
	model: name,
	chargesOnRefusal: 'no',
	givesBytes: false,
	priceCents: 5,
	reportsCredits: true,
	...rest,
});

const PARTNER_LINK_LIFETIME_MS = 5 * 60 * 1000;

/** The longest possible id. */
const LONGEST = { provider: 'l'.repeat(64), model: 'm'.repeat(128) };

const labModels = (): Model[] => [
	lab('every-feature', { schema: authored(everyFeature, everyFeatureComponents), generate: echoInput }),
	lab('open', { schema: { kind: 'open' }, generate: echoInput }),
	lab('no-schema', { schema: { kind: 'none' }, generate: echoInput }),
	lab('image', { schema: authored(imageFromText, imageComponents), generate: generatePictures(0), ownParameters: ['seed', 'guidance'] }),
	lab('partner-links', {
		schema: authored(imageFromText, imageComponents),
		generate: generatePictures(3),
		replayableForMs: PARTNER_LINK_LIFETIME_MS,
	}),
	lab('speech', { schema: authored(speech), generate: generateSpeech, givesBytes: true }),
	lab('slow', { schema: authored(slow), generate: answerLater, acceptsLate: true }),
	lab('large-json', { schema: authored(large), generate: answerOfSize }),
	lab('refusing', { schema: authored(refusing), generate: refuseInput }),
	lab('refusing-charged', { schema: authored(refusing), generate: refuseInput, chargesOnRefusal: 'yes' }),
	lab('failing', { schema: authored(failing), generate: failGeneration }),
	lab('stored-failure', { schema: authored(object({ prompt, seed }, ['prompt'])), generate: echoInput, queuedEnd: 'client_disconnected' }),
	lab('fallback', { schema: authored(object({ prompt, seed }, ['prompt'])), generate: fallBack }),
	lab('free', { schema: authored(object({ prompt }, ['prompt'])), generate: echoInput, priceCents: 0 }),
	lab('silent-price', { schema: authored(object({ prompt }, ['prompt'])), generate: echoInput, reportsCredits: false }),
	lab('members-only', { schema: authored(object({ prompt }, ['prompt'])), generate: echoInput, closedTo: ['other'] }),
	lab(LONGEST.model, { schema: authored(object({ prompt }, ['prompt'])), generate: echoInput }, LONGEST.provider),
];
