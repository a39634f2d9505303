/** Models that exist so that every answer of the router can be seen. */
import { afterWhile, byAnother, echo, fail, ofSize, refuse } from '../generate/lab';
import { picturesAs } from '../generate/pictures';
import { spoken } from '../generate/words';
import type { JsonSchema, Model } from '../model';
import { everyFeature, everyFeatureComponents, failing, large, refusing, slow } from '../schemas/lab';
import { imageComponents, imageFromText } from '../schemas/image';
import { speech } from '../schemas/language';
import { object, prompt, seed } from '../schemas/parts';

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
	tellsCredits: true,
	...rest,
});

const PARTNER_LINK_LIFETIME_MS = 5 * 60 * 1000;

/** As long as an id may be. */
const LONGEST = { provider: 'l'.repeat(64), model: 'm'.repeat(128) };

export const labModels = (): Model[] => [
	lab('every-feature', { schema: authored(everyFeature, everyFeatureComponents), generate: echo }),
	lab('open', { schema: { kind: 'open' }, generate: echo }),
	lab('no-schema', { schema: { kind: 'none' }, generate: echo }),
	lab('image', { schema: authored(imageFromText, imageComponents), generate: picturesAs(0), ownParameters: ['seed', 'guidance'] }),
	lab('partner-links', {
		schema: authored(imageFromText, imageComponents),
		generate: picturesAs(3),
		replayableForMs: PARTNER_LINK_LIFETIME_MS,
	}),
	lab('speech', { schema: authored(speech), generate: spoken, givesBytes: true }),
	lab('slow', { schema: authored(slow), generate: afterWhile, acceptsLate: true }),
	lab('large-json', { schema: authored(large), generate: ofSize }),
	lab('refusing', { schema: authored(refusing), generate: refuse }),
	lab('refusing-charged', { schema: authored(refusing), generate: refuse, chargesOnRefusal: 'yes' }),
	lab('failing', { schema: authored(failing), generate: fail }),
	lab('stored-failure', { schema: authored(object({ prompt, seed }, ['prompt'])), generate: echo, queuedEnd: 'client_disconnected' }),
	lab('fallback', { schema: authored(object({ prompt, seed }, ['prompt'])), generate: byAnother }),
	lab('free', { schema: authored(object({ prompt }, ['prompt'])), generate: echo, priceCents: 0 }),
	lab('silent-price', { schema: authored(object({ prompt }, ['prompt'])), generate: echo, tellsCredits: false }),
	lab('members-only', { schema: authored(object({ prompt }, ['prompt'])), generate: echo, closedTo: ['other'] }),
	lab(LONGEST.model, { schema: authored(object({ prompt }, ['prompt'])), generate: echo }, LONGEST.provider),
];
