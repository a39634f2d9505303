import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { type ChosenInterface, type CredentialName, readControlCredential, readCredential, type ServiceCredential } from '../credentials';
import { ItemFault } from '../itemFault';
import type { Operation } from '../operation';

const CHOICES: Record<CredentialName, readonly ChosenInterface[]> = {
	comfyApi: ['automatic', 'v2', 'v1'],
	comfySelfHostedApi: ['automatic', 'v2', 'engine'],
};

/** What the option *Interface* means beside this credential. @throws ItemFault for what is none. */
export function chosenInterface(name: CredentialName, chosen: unknown): ChosenInterface {
	const choices = CHOICES[name];
	const own = choices.find((one) => one === chosen);
	if (own !== undefined) return own;
	// Of the other credential: left over from before Authentication was changed.
	if (Object.values(CHOICES).some((others) => others.some((one) => one === chosen))) return 'automatic';
	throw new ItemFault(`There is no interface "${String(chosen)}" here`, `Choose ${choices.join(', ')} under Interface, in Options.`);
}

/** @param chosen is not asked for what v2 does not offer: there is one way then. */
export const chosenCredential = (
	name: CredentialName,
	data: ICredentialDataDecryptedObject,
	{ needsControl }: Pick<Operation<never>, 'needsControl'>,
	chosen: () => ChosenInterface,
): ServiceCredential => (needsControl ? readControlCredential(name, data) : readCredential(name, data, chosen()));
