import { ItemFault } from '../itemFault';
import { fieldOf } from '../messages/words';
import type { ItemRun } from '../operation';

const TURN_OFF = 'turn off Send Key To Partner Nodes.';

/** ComfyUI knows the token by this name only. */
const TOKEN_FIELD = 'auth_token_comfy_org';

/**
 * Returns the fields of `extra_data` that pay for partner nodes. The API proxy rejects a job with a token, so it gets only the
 * key.
 * @throws ItemFault if the credential has neither, or only a token for the API proxy.
 */
export function readPartnerFields({ credential, connection }: Pick<ItemRun, 'credential' | 'connection'>): Record<string, string> {
	const { partnerKey, partnerKeyField, partnerAuthToken = '', displayName, isOwnServer } = credential;
	const keyField = fieldOf('Partner API Key', displayName);
	if (partnerKey === '' && partnerAuthToken === '')
		throw new ItemFault('Partner API Key is empty', `Nothing was sent. Enter ${keyField}, or Partner Auth Token below it, or ${TURN_OFF}`);
	const takesToken = !(isOwnServer === true && connection.interface === 'v2');
	if (partnerKey === '' && !takesToken)
		throw new ItemFault(
			'The API proxy does not accept a Partner Auth Token',
			`Nothing was sent. Set Interface to Engine, enter ${keyField}, or ${TURN_OFF}`,
		);
	return {
		...(partnerKey !== '' && { [partnerKeyField]: partnerKey }),
		...(partnerAuthToken !== '' && takesToken && { [TOKEN_FIELD]: partnerAuthToken }),
	};
}
