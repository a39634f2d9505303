import type { Product, UnreadableAnswerError } from '../../../client';
import { enteredAddress, type NamedCredential } from '../credentials';
import { fieldOf } from './words';

type ServerAnswer = UnreadableAnswerError['facts'];

/** Whether this is how ComfyUI answers to an unknown route or a missing file. */
const isEngineAnswer = ({ status, reason, contentType }: ServerAnswer): boolean =>
	[404, 405].includes(status) &&
	reason !== 'html' &&
	reason !== 'truncated' &&
	/^(text\/plain|application\/octet-stream)\b/.test(contentType ?? '');

const isNotFromEngine = ({ status, reason }: ServerAnswer): boolean => status === 404 && reason === 'unexpected';

/** The field is hidden until the switch is on. */
const engineAddressAdvice = (name: string): string =>
	`turn on Engine At Another Address in the ${name} credential and enter ComfyUI’s own address under Engine Address (its port is 8188 by default).`;

/** Returns the words for another product at the address, or for a login in front of a self-hosted server. */
export function otherServerWords(facts: ServerAnswer, credential: NamedCredential | undefined): [string, string] | undefined {
	if (credential === undefined) return undefined;
	const { interface: chosen, displayName: name, isOwnServer } = credential;
	const address = enteredAddress(facts.address, credential);
	const other = facts.product && otherProductWords(facts.product, address, credential);
	if (other !== undefined || isOwnServer !== true) return other;
	if (facts.status === 401) {
		return [
			`A login stands in front of ${address} (HTTP 401)`,
			`For a reverse proxy in front of ComfyUI check ${fieldOf('Engine Authorization', name)}; for the API proxy, Token beside it.`,
		];
	}
	if (chosen === 'v2' && isEngineAnswer(facts)) {
		return [
			`${address} is not the API proxy; it answers as ComfyUI itself does`,
			`Set Interface to Automatic, or to Engine. If the proxy runs, enter its address under Address in the ${name} credential.`,
		];
	}
	if (chosen === 'engine' && isNotFromEngine(facts)) {
		return [
			`${address} is not ComfyUI itself; it may be the API proxy`,
			`Set Interface to Automatic or v2, or say where ComfyUI is: ${engineAddressAdvice(name)}`,
		];
	}
	if (credential.needsEngine === true && isNotFromEngine(facts)) {
		return ['This operation needs ComfyUI itself; the API proxy does not offer it', `Say where ComfyUI is: ${engineAddressAdvice(name)}`];
	}
	return undefined;
}

const PRODUCTS: Record<Product, string> = {
	comfyui: 'ComfyUI itself',
	proxy: 'the API proxy in front of a ComfyUI',
	service: 'the hosted service, a deployment or the API proxy',
	router: 'the model router',
	n8n: 'n8n itself',
};

const OWN = 'use the credential Comfy Self-Hosted API';

/** Returns which product answers, and where its address belongs. */
function otherProductWords(product: Product, address: string, credential: NamedCredential): [string, string] | undefined {
	const { displayName: name, addressLabel: field, isOwnServer = false } = credential;
	const is = `This is ${PRODUCTS[product]} (${address})`;
	if (field === 'Router URL') {
		return product === 'router'
			? undefined
			: [
					`${is}, not the model router`,
					`Enter the router’s address under Router URL in the ${name} credential: https://api.comfy.org, unless you were given another.`,
				];
	}
	if (product === 'n8n') {
		const where = isOwnServer
			? 'the one at which you see ComfyUI’s editor; its port is 8188 by default'
			: 'https://cloud.comfy.org for the hosted service, or the deployment’s own; for a ComfyUI of your own, ' + OWN;
		return [
			`${is}, not ${isOwnServer ? 'ComfyUI' : 'the service that runs ComfyUI'}`,
			`Enter another address under ${field} in the ${name} credential: ${where}.`,
		];
	}
	if (product === 'router') {
		const where = isOwnServer
			? 'Partner models are run by Comfy Run Router Model, with the credential Comfy API.'
			: `Enter it as ${fieldOf('Router URL', name)}; ${field} is where jobs run: https://cloud.comfy.org, or the deployment’s own address.`;
		return [`${is}, which runs no workflows`, where];
	}
	if (isOwnServer || product === 'service') return undefined;
	return [
		`${is}: ${OWN}`,
		`Create it in the node under Credential, choosing Self-Hosted in its form, and enter this address there. ${field} in the ${name} credential is for the hosted service and for deployments.`,
	];
}
