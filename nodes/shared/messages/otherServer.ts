import type { UnreadableAnswerError } from '../../../client';
import type { NamedCredential } from '../operations';
import { fieldOf } from './fieldOf';
import { mistaken } from './mistaken';

type Facts = UnreadableAnswerError['facts'];

/** How ComfyUI answers to a route that it does not have: in plain words, or as to a file that it does not have. */
const isOfEngine = ({ status, reason, contentType }: Facts): boolean =>
	[404, 405].includes(status) && reason !== 'html' && reason !== 'truncated' && /^(text\/plain|application\/octet-stream)\b/.test(contentType ?? '');

const isNoEngine = ({ status, reason }: Facts): boolean => status === 404 && reason === 'unexpected';

/** The field shows only when it is asked for. */
const engineAddress = (name: string): string =>
	`turn on Engine At Another Address in the ${name} credential and enter ComfyUI’s own address under Engine Address (its port is 8188 by default).`;

/** A sound server of the other kind, or the login in front of one, where one of your own was expected. */
export function otherServer(facts: Facts, credential: NamedCredential | undefined): [string, string] | undefined {
	if (credential === undefined) return undefined;
	const { interface: chosen, displayName: name, isOwnServer } = credential;
	const { origin } = new URL(facts.address);
	const other = facts.product && mistaken(facts.product, origin, credential);
	if (other !== undefined || isOwnServer !== true) return other;
	if (facts.status === 401) {
		return [`A login stands in front of ${origin} (HTTP 401)`, `For a reverse proxy in front of ComfyUI check ${fieldOf('Engine Authorization', name)}; for the API proxy, Token beside it.`];
	}
	if (chosen === 'v2' && isOfEngine(facts)) {
		return [`${origin} is not the API proxy; it answers as ComfyUI itself does`, `Set Interface to Automatic, or to Engine. If the proxy runs, enter its address under Address in the ${name} credential.`];
	}
	if (chosen === 'engine' && isNoEngine(facts)) {
		return [`${origin} is not ComfyUI itself; it may be the API proxy`, `Set Interface to Automatic or v2, or say where ComfyUI is: ${engineAddress(name)}`];
	}
	if (credential.needsEngine === true && isNoEngine(facts)) {
		return ['This operation needs ComfyUI itself; the API proxy does not offer it', `Say where ComfyUI is: ${engineAddress(name)}`];
	}
	return undefined;
}
