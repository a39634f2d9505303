import {
	ApiError,
	ComfyError,
	ConnectionError,
	GraphError,
	InputError,
	IntegrityError,
	NoFittingServerError,
	StoppedError,
	UnknownOutcomeError,
	UnknownUserError,
	UnreadableAnswerError,
	UnreadableJobError,
} from '../../../client';
import { credentialAt, type NamedCredential } from '../credentials';
import { ItemFault } from '../itemFault';
import { messages } from '../messages/catalogue';
import { retryAdvice } from '../messages/topics/jobs';
import { toShownWords, type Words, withAdvice, withMask } from '../messages/words';
import { secretMask } from '../withoutSecrets';
import { connectionWords, signInField, unknownUserWords, unreadableWords } from './connection';
import { graphWords } from './graph';
import { adviceOnSilence, unreadableJobWords } from './jobs';
import { reasonLines } from './nodeReasons';
import { noFittingServerWords, refusingServerLines, silentServersWords } from './pool';
import { lostRunWords, modelInputWords, routerRemarks, routerTable } from './router';
import { type SentenceTable, serviceTables } from './service';
import { MissingJobError, unknownOutcomeWords } from './submission';

const tables: Record<ApiError['interface'], SentenceTable> = { ...serviceTables, router: routerTable };

/** Returns the words for an error of a service. An unknown code shows the service's own text. */
function apiWords(error: ApiError, credential?: NamedCredential, isRunNode = false): Words {
	const table = tables[error.interface];
	const sentence = (Object.hasOwn(table, error.code) && table[error.code]) || messages.UNKNOWN_SERVICE_CODE;
	const words = sentence(error, {
		name: credential?.displayName ?? 'Comfy',
		secret: credential?.secretLabel ?? 'API Key',
		isOwnServer: credential?.isOwnServer === true,
		signIn: signInField(error.server === undefined ? credential : credentialAt(error.server, credential)),
		isRunNode,
	});
	return withAdvice(
		words,
		...(error.interface === 'router' ? routerRemarks(error) : reasonLines(error)),
		words.advice,
		error instanceof MissingJobError ? retryAdvice[error.retryEffect] : undefined,
		error.server && `Server: ${error.server}`,
		error.requestId && `Request ID: ${error.requestId}`,
	);
}

/** Returns the message for a server that gave no answer for too long, or undefined. */
function unansweredReason({ cause }: UnknownOutcomeError, credential?: NamedCredential): string | undefined {
	if (!(cause instanceof ComfyError) || cause.silence === undefined) return undefined;
	return wordsOf(cause, credential).message;
}

function lostWords(cause: UnknownOutcomeError, credential?: NamedCredential): Words {
	if (cause.servers !== undefined && cause.servers.length > 0) return silentServersWords(cause, cause.servers);
	if (credential?.addressLabel !== 'Router URL') return unknownOutcomeWords(cause, unansweredReason(cause, credential));
	return lostRunWords(cause, cause.cause === undefined ? undefined : wordsOf(cause.cause, credential));
}

function wordsOf(cause: unknown, credential?: NamedCredential, isRunNode?: boolean): Words {
	const words = wordsOfKind(cause, credential, isRunNode);
	if (!(cause instanceof ComfyError) || cause.silence === undefined) return words;
	return withAdvice(words, words.advice, adviceOnSilence(cause.silence));
}

function wordsOfKind(cause: unknown, credential?: NamedCredential, isRunNode?: boolean): Words {
	if (cause instanceof ItemFault) return cause.words;
	if (cause instanceof ApiError) return apiWords(cause, credential, isRunNode);
	if (cause instanceof GraphError) return graphWords(cause.facts, credential === undefined || credential.isOwnServer === true);
	if (cause instanceof InputError) return modelInputWords(cause.facts);
	if (cause instanceof ConnectionError) return connectionWords(cause, credential);
	if (cause instanceof NoFittingServerError) return noFittingServerWords(cause);
	if (cause instanceof UnknownUserError) return unknownUserWords(cause, credential);
	if (cause instanceof UnreadableAnswerError) return unreadableWords(cause.facts, credential);
	if (cause instanceof UnreadableJobError) return unreadableJobWords(cause, wordsOfKind(cause.cause, credential, isRunNode), credential);
	if (cause instanceof UnknownOutcomeError) return lostWords(cause, credential);
	if (cause instanceof IntegrityError) return messages.FILE_DAMAGED(cause.what, cause.actual, cause.expected);
	if (cause instanceof StoppedError) return messages.EXECUTION_STOPPED();
	if (cause instanceof Error)
		return messages.OTHER_ERROR(cause.message, 'description' in cause && typeof cause.description === 'string' ? cause.description : '');
	return messages.UNEXPECTED_ERROR(String(cause));
}

/**
 * Returns the words for any error while an item runs.
 * @param credential whose fields the words name.
 * @param isRunNode whether the node is Comfy Run Workflow, which lacks some fields of other nodes.
 */
export function wordsFor(cause: unknown, credential?: NamedCredential, isRunNode?: boolean): Words {
	const mask = secretMask(credential);
	return withMask(mask, () => {
		const words = wordsOf(cause, credential, isRunNode);
		const refusals = cause instanceof ComfyError ? refusingServerLines(cause) : [];
		const { code, message, advice } = toShownWords(withAdvice(words, words.advice, ...refusals));
		return { code, message: mask(message), advice: mask(advice) };
	});
}
