import type { Product } from '../../../client';
import type { NamedCredential } from '../operations';

const NAMES: Record<Product, string> = {
	comfyui: 'ComfyUI itself',
	proxy: 'the API proxy in front of a ComfyUI',
	service: 'the hosted service, a deployment or the API proxy',
	router: 'the model router',
	n8n: 'n8n itself',
};

const OWN = 'use the credential Comfy Self-Hosted API';

/** One product where another was expected: what it is, and where its address belongs. */
export function mistaken(product: Product, origin: string, credential: NamedCredential): [string, string] | undefined {
	const { displayName: name, addressLabel: field, isOwnServer = false } = credential;
	const is = `This is ${NAMES[product]} (${origin})`;
	if (field === 'Router URL') {
		return product === 'router' ? undefined : [`${is}, not the model router`, `Enter the router’s address under Router URL in the ${name} credential: https://api.comfy.org, unless you were given another.`];
	}
	if (product === 'n8n') {
		const where = isOwnServer ? 'the one at which you see ComfyUI’s editor; its port is 8188 by default' : 'https://cloud.comfy.org for the hosted service, or the deployment’s own; for a ComfyUI of your own, ' + OWN;
		return [`${is}, not ${isOwnServer ? 'ComfyUI' : 'the service that runs ComfyUI'}`, `Enter another address under ${field} in the ${name} credential: ${where}.`];
	}
	if (product === 'router') {
		const where = isOwnServer ? 'Partner models are run by Comfy Run Router Model, with the credential Comfy API.' : `Enter it under Router URL; ${field} is where jobs run: https://cloud.comfy.org, or the deployment’s own address.`;
		return [`${is}, which runs no workflows`, where];
	}
	if (isOwnServer || product === 'service') return undefined;
	return [`${is}: ${OWN}`, `Create it in the node under Credential, choosing Self-Hosted in its form, and enter this address there. ${field} in the ${name} credential is for the hosted service and for deployments.`];
}
