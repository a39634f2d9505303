import { ItemFault } from '../itemFault';
import { joinNames, MOST_CHOICES, NOTHING_SENT, type Words } from './words';

/** Texts about the servers of a credential with *Several ComfyUIs*. */

/** The value of *Server* is not one of the servers of the credential. */
export const unknownServer = (entered: string, known: readonly string[]): ItemFault =>
	new ItemFault(
		`The credential does not have the server "${entered}"`,
		`${NOTHING_SENT} Enter one of these addresses under Server in Options: ${joinNames([...known], MOST_CHOICES)}. To use all of them, leave Server empty.`,
	);

/** The credential has only one server, and the value of *Server* is another one. @param addresses of this server. */
export const otherServerEntered = (entered: string, addresses: readonly string[]): ItemFault =>
	new ItemFault(
		`The credential has one server, and its address is not "${entered}"`,
		`${NOTHING_SENT} Leave Server in Options empty to use ${joinNames([...addresses])}. To use several servers, turn on Several ComfyUIs in a Comfy Self-Hosted API credential.`,
	);

/** Some servers failed and the results are those of the others. */
export const failedServerHint = (server: string, { message, advice }: Words): string =>
	`The results do not include ${server}. ${message}. ${advice}`.trim();

/** Servers did not respond to a list of jobs. */
export const unansweredListHint = (servers: readonly string[]): string =>
	`The list does not include the jobs of ${joinNames([...servers], MOST_CHOICES)}, because ${servers.length === 1 ? 'this server' : 'these servers'} did not respond. Check that ${servers.length === 1 ? 'it is' : 'they are'} running, and run the node again.`;
