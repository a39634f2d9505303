import { type ICredentialDataDecryptedObject, type ICredentialType, NodeHelpers } from 'n8n-workflow';

import { ComfyApi } from '../../../credentials/ComfyApi.credentials';
import { ComfyRouterJwtApi } from '../../../credentials/ComfyRouterJwtApi.credentials';
import { ComfySelfHostedApi } from '../../../credentials/ComfySelfHostedApi.credentials';
import type { Credential, RouterCredential } from './engine';

const types: Record<(Credential | RouterCredential)['type'], ICredentialType> = {
	comfyApi: new ComfyApi(),
	comfyRouterJwtApi: new ComfyRouterJwtApi(),
	comfySelfHostedApi: new ComfySelfHostedApi(),
};

/** What n8n hands on of a saved credential (`CredentialsHelper.applyDefaultsAndOverwrites`): the fields that show, and no others. */
export const asHandedOn = ({ type, data }: Pick<Credential | RouterCredential, 'type' | 'data'>): ICredentialDataDecryptedObject =>
	NodeHelpers.getNodeParameters(types[type].properties, data as never, true, false, null, null) as ICredentialDataDecryptedObject;

/** n8n's own helper, as far as nodes need it. */
export const credentialsHelperFor = (...credentials: Array<Credential | RouterCredential | undefined>) => ({
	getParentTypes: () => [],
	getDecrypted: async (_data?: unknown, _chosen?: unknown, type?: string) =>
		asHandedOn((credentials.find((one) => one?.type === type) ?? credentials[0]) as Credential),
	isCredentialUsableByNode: () => true,
	preAuthentication: async () => undefined,
	getCredentialsProperties: () => [],
});
