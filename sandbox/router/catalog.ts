/** The models of the router: a few of invented providers, and those that exist for tests. */
import { centsOf, type JsonObject, type JsonSchema, type Model, type ModelParams } from './model';
import { RouterRefusal } from './refusals';
import {
	answerLater,
	answerOfSize,
	echoInput,
	failGeneration,
	fallBack,
	generateClip,
	generateImages,
	generateSpeech,
	refuseInput,
} from './generate';
import {
	everyFeature,
	everyFeatureComponents,
	failing,
	imageComponents,
	imageFromText,
	large,
	onlyPrompt,
	promptAndSeed,
	slow,
	speech,
	video,
} from './schemas';

export class Catalog {
	readonly models: readonly Model[] = MODELS.toSorted((left, right) => (left.id < right.id ? -1 : 1));

	/** @param extra how many more models to list. They have numbers instead of names. */
	list(extra: number): readonly Model[] {
		const more = Array.from({ length: extra }, (_, index) => modelOf(`more/model-${index + 1}`, onlyPrompt, echoInput));
		return [...this.models, ...more];
	}

	/** @throws RouterRefusal `model_not_found`, which suggests an id that begins like the requested one. */
	find({ provider, model }: ModelParams): Model {
		const id = `${provider}/${model}`;
		const found = this.models.find((candidate) => candidate.id === id);
		if (found !== undefined) return found;
		const similar = this.models.find((candidate) => candidate.id.startsWith(id));
		const detail = `No runnable model ${id.slice(0, 200)}${similar === undefined ? '' : `. Did you mean ${similar.id}?`}`;
		throw new RouterRefusal({ status: 404, bucket: 'model_not_found', detail });
	}
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

const PRICES_AS_OF = '2026-11-01T00:00:00Z';

/** The answer to a request for an estimate. */
export function estimateOf(model: Model, input: JsonObject): unknown {
	if (model.estimate !== undefined) return model.estimate(input);
	if (!model.reportsCredits) return { source: 'unknown', reason: 'No price is listed for this model', pricing_as_of: PRICES_AS_OF };
	return { source: 'exact', amount: centsOf(model, input) / 100, pricing_as_of: PRICES_AS_OF };
}

const IMAGE_PARAMETERS = { ownParameters: ['seed', 'guidance'] };

/** The input contains the price, and the answer to a request for an estimate. */
const PRICED_BY_INPUT: Partial<Model> = { priceCentsOf: ({ cents }) => Number(cents ?? 0), estimate: ({ estimate }) => estimate };

const MODELS: readonly Model[] = [
	modelOf('aurora/image-1', imageFromText, generateImages, { ...IMAGE_PARAMETERS, priceCents: 4 }),
	modelOf('aurora/image-2', imageFromText, generateImages, { ...IMAGE_PARAMETERS, priceCents: 6, chargesOnRefusal: 'unknown' }),
	// Clients must treat the undocumented value `sometimes` as `unknown`.
	modelOf('aurora/image-3-fast', imageFromText, generateImages, { ...IMAGE_PARAMETERS, chargesOnRefusal: 'sometimes' }),
	modelOf('harbor/image-2', imageFromText, generateImages, { ...IMAGE_PARAMETERS, reportsCredits: false }),
	modelOf('pebble_works/video-3_max', video, generateClip, {
		priceCents: 45,
		chargesOnRefusal: 'yes',
		estimate: () => ({ source: 'estimated', min_amount: 0.3, max_amount: 0.6, pricing_as_of: PRICES_AS_OF }),
	}),
	modelOf('lab/every-feature', everyFeature, echoInput, {
		schema: { kind: 'authored', input: everyFeature, components: everyFeatureComponents },
	}),
	modelOf('lab/open', 'open', echoInput),
	modelOf('lab/no-schema', 'none', echoInput),
	modelOf('lab/image', imageFromText, generateImages, IMAGE_PARAMETERS),
	modelOf('lab/speech', speech, generateSpeech, { givesBytes: true }),
	modelOf('lab/slow', slow, answerLater),
	modelOf('lab/large-json', large, answerOfSize),
	modelOf('lab/refusing-charged', onlyPrompt, refuseInput, { chargesOnRefusal: 'yes' }),
	modelOf('lab/failing', failing, failGeneration),
	modelOf('lab/stored-failure', promptAndSeed, echoInput, { queuedEnd: 'client_disconnected' }),
	modelOf('lab/fallback', promptAndSeed, fallBack),
	modelOf('lab/free', onlyPrompt, echoInput, { priceCents: 0 }),
	modelOf('lab/priced', 'open', echoInput, PRICED_BY_INPUT),
	modelOf('lab/priced-2', 'open', echoInput, PRICED_BY_INPUT),
	modelOf('lab/silent-price', onlyPrompt, echoInput, { reportsCredits: false }),
];
