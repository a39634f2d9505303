import type { Product, UnreadableAnswerError } from '../../../client';
import { credentialAt, enteredAddress, type NamedCredential } from '../credentials';
import { signInField } from './signIn';
import { fieldOf } from './words';

type ServerAnswer = UnreadableAnswerError['facts'];

/** Whether this is how ComfyUI responds to an unknown route or a missing file. */
const isEngineAnswer = ({ status, reason, contentType }: ServerAnswer): boolean =>
	[404, 405].includes(status) &&
	reason !== 'html' &&
	reason !== 'truncated' &&
	/^(text\/plain|application\/octet-stream)\b/.test(contentType ?? '');

const isNotFromEngine = ({ status, reason }: ServerAnswer): boolean => status === 404 && reason === 'unexpected';

/** The field is hidden until the switch is on. */
const engineAddressAdvice = (name: string): string =>
	`To connect to ComfyUI itself, turn on Engine At Another Address in the ${name} credential, and enter its address under Engine Address (the default port is 8188).`;

/** Returns the words for a login in front of a self-hosted server, which may have rejected what the credential contains. */
function loginWords(address: string, credential: NamedCredential): [string, string] {
	const { displayName: name, signInLabel, headers = {} } = credential;
	const field = fieldOf(signInField(credential), name);
	if (signInLabel !== undefined && Object.keys(headers).length === 0)
		return [`The server at ${address} requires its own sign-in (HTTP 401)`, `Enter the sign-in in ${field}.`];
	if (signInLabel !== undefined) return [`The server at ${address} did not accept the sign-in (HTTP 401)`, `Check ${field}.`];
	return [
		`The server at ${address} requires a sign-in (HTTP 401)`,
		`If a reverse proxy in front of ComfyUI requires it, check ${field}. If the API proxy requires it, check Token under More Settings.`,
	];
}

/** Returns the words for another product at the address, or for a login in front of a self-hosted server. */
export function otherServerWords(facts: ServerAnswer, entered: NamedCredential | undefined): [string, string] | undefined {
	if (entered === undefined) return undefined;
	const address = enteredAddress(facts.address, entered);
	const credential = credentialAt(facts.address, entered);
	const { interface: chosen, displayName: name, isOwnServer } = credential;
	const other = facts.product && otherProductWords(facts.product, address, credential);
	if (other !== undefined || isOwnServer !== true) return other;
	if (facts.status === 401) {
		return loginWords(address, credential);
	}
	if (credential.moreServers !== undefined && isNotFromEngine(facts)) {
		return [
			`The server at ${address} is not ComfyUI itself, which Several ComfyUIs needs: it may be the API proxy`,
			`Enter the address of ComfyUI in ${fieldOf(credential.addressLabel, name)}.`,
		];
	}
	if (chosen === 'v2' && isEngineAnswer(facts)) {
		return [
			`The server at ${address} is not the API proxy: it responds like ComfyUI itself`,
			`Set Interface to Automatic or Engine. If the API proxy is running, enter its address under Address in the ${name} credential.`,
		];
	}
	if (chosen === 'engine' && isNotFromEngine(facts)) {
		return [
			`The server at ${address} is not ComfyUI itself: it may be the API proxy`,
			`Set Interface to Automatic or v2. ${engineAddressAdvice(name)}`,
		];
	}
	if (credential.needsEngine === true && isNotFromEngine(facts)) {
		return ['This operation needs ComfyUI itself, because the API proxy does not offer it', engineAddressAdvice(name)];
	}
	return undefined;
}

const PRODUCTS: Record<Product, string> = {
	comfyui: 'ComfyUI itself',
	proxy: 'the API proxy of a ComfyUI',
	service: 'the hosted service, a deployment or the API proxy',
	router: 'the model router',
	n8n: 'n8n',
};

const OWN = 'use the credential Comfy Self-Hosted API';

/** Returns which product responds, and where its address belongs. */
function otherProductWords(product: Product, address: string, credential: NamedCredential): [string, string] | undefined {
	const { displayName: name, addressLabel: field, isOwnServer = false } = credential;
	const is = `The server at ${address} is ${PRODUCTS[product]}`;
	if (field === 'Router URL') {
		return product === 'router'
			? undefined
			: [
					`${is}, not the model router`,
					`Under Router URL in the ${name} credential, enter https://api.comfy.org, or the address of your own router.`,
				];
	}
	if (product === 'n8n') {
		const where = isOwnServer
			? 'enter the address at which you open the editor of ComfyUI. Its default port is 8188, or 8000 for ComfyUI Desktop.'
			: `enter https://cloud.comfy.org for the hosted service, or the address of your deployment. For your own ComfyUI, ${OWN}.`;
		return [
			`${is}, not ${isOwnServer ? 'ComfyUI' : 'the service that runs ComfyUI workflows'}`,
			`Under ${field} in the ${name} credential, ${where}`,
		];
	}
	if (product === 'router') {
		const where = isOwnServer
			? 'To run partner models, use Comfy Run Router Model with the credential Comfy API.'
			: `Enter this address as ${fieldOf('Router URL', name)}. Under ${field}, enter the address that runs jobs: https://cloud.comfy.org, or the address of your deployment.`;
		return [`${is}, which does not run workflows`, where];
	}
	if (isOwnServer || product === 'service') return undefined;
	return [
		`${is}: ${OWN}`,
		`Create a credential in the node, choose Self-Hosted in its form, and enter this address. ${field} in the ${name} credential is only for the hosted service and deployments.`,
	];
}
