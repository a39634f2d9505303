import type { SavedCredential } from '../../../scripts/n8nHost';
import type { Session } from '../../e2e/support/session';

/** The suite's own credential of this type. */
export function onlyOf({ credentials }: Session, type: string): SavedCredential {
	const found = credentials.find((credential) => credential.type === type);
	if (!found) throw new Error(`No credential of type ${type}`);
	return found;
}
