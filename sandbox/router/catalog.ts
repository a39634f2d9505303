/** The models of the router: a few of invented providers, and those that exist for tests. */
import type { AccountName } from '../vocabulary';
import { isClosedTo, type JsonSchema, type Model, type ModelParams } from './model';
import { RouterRefusal } from './refusals';
import {
	answerChat,
	answerLater,
	answerOfSize,
	echoInput,
	failGeneration,
	fallBack,
	generateBase64,
	generateClip,
	generateImages,
	generateLink,
	generateSpeech,
	refuseInput,
} from './generate';
import {
	everyFeature,
	everyFeatureComponents,
	failing,
	imageComponents,
	imageEdit,
	imageFromText,
	large,
	onlyPrompt,
	promptAndSeed,
	refusing,
	slow,
	speech,
	video,
} from './schemas';

const MOST_SUGGESTIONS = 3;

export class Catalog {
	readonly models: readonly Model[] = MODELS.toSorted((left, right) => (left.id < right.id ? -1 : 1));
	readonly providers: readonly string[] = [...new Set(this.models.map(({ provider }) => provider))];

	/** @param extra how many more models to list. They have numbers instead of names. */
	list(extra: number): readonly Model[] {
		const more = Array.from({ length: extra }, (_, index) => modelOf(`more/model-${index + 1}`, onlyPrompt, echoInput));
		return [...this.models, ...more];
	}

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

function modelOf(id: string, input: JsonSchema | 'open' | 'none', generate: Model['generate'], rest: Partial<Model> = {}): Model {
	const [provider = '', model = ''] = id.split('/');
	const schema: Model['schema'] = typeof input === 'string' ? { kind: input } : { kind: 'authored', input, components: imageComponents };
	return {
		id,
		provider,
		model,
		schema,
		generate,
		chargesOnRefusal: 'no',
		givesBytes: false,
		priceCents: 5,
		reportsCredits: true,
		...rest,
	};
}

const IMAGE_PARAMETERS = { ownParameters: ['seed', 'guidance'] };
const PARTNER_LINK_LIFETIME_MS = 5 * 60 * 1000;

/** The longest possible id. */
const LONGEST = `${'l'.repeat(64)}/${'m'.repeat(128)}`;

const MODELS: readonly Model[] = [
	modelOf('aurora/image-1', imageFromText, generateImages, { ...IMAGE_PARAMETERS, priceCents: 4 }),
	modelOf('aurora/image-2', imageFromText, generateImages, { ...IMAGE_PARAMETERS, priceCents: 6, chargesOnRefusal: 'unknown' }),
	// Clients must treat the undocumented value `sometimes` as `unknown`.
	modelOf('aurora/image-3-fast', imageFromText, generateImages, { ...IMAGE_PARAMETERS, chargesOnRefusal: 'sometimes' }),
	modelOf('birch/edit-1', imageEdit, generateImages),
	modelOf('cobalt/chat-2-pro', onlyPrompt, answerChat, { priceCents: 1 }),
	modelOf('ember/speech-1', speech, generateSpeech, { givesBytes: true, priceCents: 3 }),
	modelOf('fjord.ai/image-1.5', imageFromText, generateBase64),
	modelOf('harbor/image-2', imageFromText, generateImages, { ...IMAGE_PARAMETERS, reportsCredits: false }),
	modelOf('pebble_works/video-3_max', video, generateClip, { priceCents: 45, chargesOnRefusal: 'yes' }),
	modelOf('lab/every-feature', everyFeature, echoInput, {
		schema: { kind: 'authored', input: everyFeature, components: everyFeatureComponents },
	}),
	modelOf('lab/open', 'open', echoInput),
	modelOf('lab/no-schema', 'none', echoInput),
	modelOf('lab/image', imageFromText, generateImages, IMAGE_PARAMETERS),
	modelOf('lab/partner-links', imageFromText, generateLink, { replayableForMs: PARTNER_LINK_LIFETIME_MS }),
	modelOf('lab/speech', speech, generateSpeech, { givesBytes: true }),
	modelOf('lab/slow', slow, answerLater, { acceptsLate: true }),
	modelOf('lab/large-json', large, answerOfSize),
	modelOf('lab/refusing', refusing, refuseInput),
	modelOf('lab/refusing-charged', refusing, refuseInput, { chargesOnRefusal: 'yes' }),
	modelOf('lab/failing', failing, failGeneration),
	modelOf('lab/stored-failure', promptAndSeed, echoInput, { queuedEnd: 'client_disconnected' }),
	modelOf('lab/fallback', promptAndSeed, fallBack),
	modelOf('lab/free', onlyPrompt, echoInput, { priceCents: 0 }),
	modelOf('lab/silent-price', onlyPrompt, echoInput, { reportsCredits: false }),
	modelOf('lab/members-only', onlyPrompt, echoInput, { closedTo: ['other'] }),
	modelOf(LONGEST, onlyPrompt, echoInput),
];
