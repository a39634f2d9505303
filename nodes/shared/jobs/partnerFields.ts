import { ItemFault } from '../itemFault';
import { messages } from '../messages/catalogue';
import type { ItemRun } from '../operation';

/** ComfyUI knows the token by this name only. */
const TOKEN_FIELD = 'auth_token_comfy_org';

/**
 * Returns the fields of `extra_data` that pay for partner nodes. The API proxy rejects a job with a token, so it gets only the
 * key.
 * @throws ItemFault if the credential has neither, or only a token for the API proxy.
 */
export function readPartnerFields({ credential, connection }: Pick<ItemRun, 'credential' | 'connection'>): Record<string, string> {
	const { partnerKey, partnerKeyField, partnerAuthToken = '', displayName, isOwnServer } = credential;
	if (partnerKey === '' && partnerAuthToken === '') throw new ItemFault(messages.PARTNER_KEY_EMPTY(displayName));
	const takesToken = !(isOwnServer === true && connection.interface === 'v2');
	if (partnerKey === '' && !takesToken) throw new ItemFault(messages.PARTNER_TOKEN_NOT_ACCEPTED(displayName));
	return {
		...(partnerKey !== '' && { [partnerKeyField]: partnerKey }),
		...(partnerAuthToken !== '' && takesToken && { [TOKEN_FIELD]: partnerAuthToken }),
	};
}
