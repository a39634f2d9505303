/** Messages about a server that gives no usable answer any more. */
import type { Silence, UnreadableJobError } from '../../../client';
import { enteredAddress, type NamedCredential } from '../credentials';
import { type Words, words } from './words';

/** Returns a moment as `2026-11-26 20:14:05 UTC`. */
const atTime = (moment: number): string => `${new Date(moment).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const inMinutes = (milliseconds: number): string => {
	const seconds = Math.round(milliseconds / 1_000);
	if (seconds < 90) return `${seconds} s`;
	return `${Math.round(seconds / 60)} minutes`;
};

const WAIT_LONGER = 'If the server needs time to start, add the option Wait For Server (Minutes) and enter more minutes.';
const REPORT_LATER =
	'If the server can be away for longer, add the option Report A Lost Server After (Minutes) and enter more minutes, or 0 for no limit.';

/** What to do after a request that was given up because the server gave no answer. */
export const silenceAdvice = ({ since, hadWork }: Silence): string =>
	hadWork
		? `There was no usable answer since ${atTime(since)}. When the server responds again, retry this execution: jobs that were submitted are not submitted again. ${REPORT_LATER}`
		: WAIT_LONGER;

/** @param last the words for the latest failed read. */
export function unreadableJobWords({ jobId, forMs, since, address }: UnreadableJobError, last: Words, credential?: NamedCredential): Words {
	const server = address === undefined ? 'the server' : enteredAddress(address, credential);
	return words(
		`Job ${jobId} could not be read for ${inMinutes(forMs)}: ${last.message}`,
		`There was no usable answer from ${server} since ${atTime(since)}. The job may still be running: it was not canceled.`,
		'When the server responds again, retry this execution: the node continues with this job and submits nothing. You can also wait for the job by its ID.',
		last.advice,
		REPORT_LATER,
	);
}
