/** Words for several servers behind one credential. */
import type { ComfyError, MissingOnServer, NoFittingServerError, UnknownOutcomeError } from '../../../client';
import { messages } from '../messages/catalogue';
import { reasonOf } from '../messages/logLines';
import { missingOnServer, refusalLine } from '../messages/topics/pool';
import { limitLines, shorten, type Words } from '../messages/words';

const MOST_LINES = 20;
const LONGEST_VALUE = 120;

const shortened = (text: string): string => shorten(text, LONGEST_VALUE);

const missingLine = ({ server, classType, input, value }: MissingOnServer): string =>
	input === undefined || value === undefined
		? missingOnServer.node(server, shortened(classType))
		: missingOnServer.value(server, shortened(value), input, shortened(classType));

/** Returns the words for a workflow that needs something that no single server has. */
export function noFittingServerWords({ missing, unanswered }: NoFittingServerError): Words {
	const lines = limitLines(missing.map(missingLine), MOST_LINES);
	return unanswered.length === 0 ? messages.POOL_LACKS_NODES_OR_FILES(lines) : messages.POOL_LACKS_AND_IS_SILENT(lines, unanswered);
}

/** Returns one line for each server that refused the request: its address and what it answered. Empty if no other server did. */
export function refusingServerLines(cause: ComfyError): string[] {
	const { refusals = [] } = cause;
	const refusing = refusals.length === 0 ? [] : [cause, ...refusals].filter(({ server }) => server !== undefined);
	return limitLines(
		refusing.map((error) => refusalLine(error.server, reasonOf(error))),
		MOST_LINES,
	);
}

/** Returns the words for a job that servers may have that do not respond. @param servers at least one address. */
export const silentServersWords = ({ before, jobId }: UnknownOutcomeError, servers: readonly string[]): Words =>
	before === undefined ? messages.JOB_ON_SILENT_SERVER(servers, jobId) : messages.EARLIER_JOB_ON_SILENT_SERVER(servers);

/** Returns the hint for servers that did not respond to a list of jobs. @param servers at least one address. */
export const unansweredListHint = (servers: readonly string[]): Words =>
	servers.length === 1 ? messages.LIST_WITHOUT_SERVER(String(servers[0])) : messages.LIST_WITHOUT_SERVERS(servers);
