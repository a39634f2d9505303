import type { UnknownUserError } from '../../../client';
import type { NamedCredential } from '../credentials';
import { fieldOf, joinNames, MOST_CHOICES, visibleName, type Words, words } from './words';

/** Returns the label of the field that contains the sign-in for a reverse proxy, or in which to choose one. */
export function signInField(credential: NamedCredential | undefined): string {
	if (credential?.signInLabel !== undefined) return credential.signInLabel;
	return credential?.authorization ? 'Engine Authorization' : 'Sign-In';
}

/** The user in *ComfyUI User* is not one user of the server. */
export function unknownUserWords({ user, users }: UnknownUserError, credential?: NamedCredential): Words {
	const field = fieldOf('ComfyUI User', credential?.displayName ?? 'Comfy Self-Hosted API');
	if (users === undefined)
		return words(
			'This ComfyUI has no users, because it was started without --multi-user',
			`Start ComfyUI with --multi-user, or set ${fieldOf('Sign-In', credential?.displayName ?? 'Comfy Self-Hosted API')} to None.`,
		);
	const ids = Object.entries(users).flatMap(([id, name]) => (name === user ? [id] : []));
	if (ids.length > 1)
		return words(
			`ComfyUI has ${ids.length} users with the name "${visibleName(user)}"`,
			`Enter the ID of one of them in ${field}.`,
			`IDs: ${joinNames(ids.map(visibleName), MOST_CHOICES)}`,
		);
	const names = Object.values(users).map(visibleName);
	return words(
		`ComfyUI does not have the user "${visibleName(user)}"`,
		names.length === 0
			? 'It has no users yet. Open ComfyUI in a browser and create one.'
			: `Enter the name or ID of one of these users in ${field}: ${joinNames(names, MOST_CHOICES)}.`,
	);
}
