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
import { secretMask } from '../withoutSecrets';
import { connectionWords, unreadableWords } from './connection';
import { graphWords } from './graph';
import { silenceAdvice, unreadableJobWords } from './lostServer';
import { reasonLines } from './nodeReasons';
import { noFittingServerWords, refusingServerLines, silentServersWords } from './pool';
import { modelInputWords, routerRemarks, routerSentences } from './tables/router';
import { engineSentences, v1Sentences, v2Sentences } from './tables/service';
import { signInField, unknownUserWords } from './signIn';
import { lostRunWords, unknownOutcomeWords } from './unknownOutcome';
import { type Sentence, type Sentences, type Words, withMask, words } from './words';

const tables: Record<ApiError['interface'], Sentences> = {
	v1: v1Sentences,
	v2: v2Sentences,
	engine: engineSentences,
	router: routerSentences,
};

const unknownCode: Sentence = (error) => [
	`The service returned "${error.code}" (HTTP ${error.status}): ${error.message}`,
	'This node has no advice for this code. Follow the message of the service above.',
];

/** Returns the words for an error of a service. An unknown code shows the service's own text. */
function apiWords(error: ApiError, credential?: NamedCredential, isRunNode = false): Words {
	const table = tables[error.interface];
	const sentence = Object.hasOwn(table, error.code) ? (table[error.code] as Sentence) : unknownCode;
	const [message, advice] = sentence(error, {
		name: credential?.displayName ?? 'Comfy',
		secret: credential?.secretLabel ?? 'API Key',
		isOwnServer: credential?.isOwnServer === true,
		signIn: signInField(error.server === undefined ? credential : credentialAt(error.server, credential)),
		isRunNode,
	});
	return words(
		message,
		...(error.interface === 'router' ? routerRemarks(error) : reasonLines(error)),
		advice,
		error.server && `Server: ${error.server}`,
		error.requestId && `Request ID: ${error.requestId}`,
	);
}

const integrityWords = (cause: IntegrityError): Words =>
	words(
		`The received file does not match the file in the service: its ${cause.what} is ${cause.actual}, not ${cause.expected}`,
		'Nothing was saved. Run the item again. If it happens again, the file in the service is damaged.',
	);

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
	const found = wordsOfKind(cause, credential, isRunNode);
	if (!(cause instanceof ComfyError) || cause.silence === undefined) return found;
	return words(found.message, found.advice, silenceAdvice(cause.silence));
}

function wordsOfKind(cause: unknown, credential?: NamedCredential, isRunNode?: boolean): Words {
	if (cause instanceof ItemFault) return words(cause.message, cause.advice);
	if (cause instanceof ApiError) return apiWords(cause, credential, isRunNode);
	if (cause instanceof GraphError) return graphWords(cause.facts, credential === undefined || credential.isOwnServer === true);
	if (cause instanceof InputError) return modelInputWords(cause.facts);
	if (cause instanceof ConnectionError) return connectionWords(cause, credential);
	if (cause instanceof NoFittingServerError) return noFittingServerWords(cause);
	if (cause instanceof UnknownUserError) return unknownUserWords(cause, credential);
	if (cause instanceof UnreadableAnswerError) return unreadableWords(cause.facts, credential);
	if (cause instanceof UnreadableJobError) return unreadableJobWords(cause, wordsOfKind(cause.cause, credential, isRunNode), credential);
	if (cause instanceof UnknownOutcomeError) return lostWords(cause, credential);
	if (cause instanceof IntegrityError) return integrityWords(cause);
	if (cause instanceof StoppedError) return words('The execution was stopped before this item was finished');
	if (cause instanceof Error) {
		return words(cause.message, 'description' in cause && typeof cause.description === 'string' ? cause.description : '');
	}
	return words('Something unexpected happened', String(cause));
}

/**
 * Returns the words for any error while an item runs.
 * @param credential whose fields the words name.
 * @param isRunNode whether the node is Comfy Run Workflow, which lacks some fields of other nodes.
 */
export function wordsFor(cause: unknown, credential?: NamedCredential, isRunNode?: boolean): Words {
	const mask = secretMask(credential);
	return withMask(mask, () => {
		const { message, advice } = wordsOf(cause, credential, isRunNode);
		const refusals = cause instanceof ComfyError ? words('', ...refusingServerLines(cause)).advice : '';
		return { message: mask(message), advice: mask([advice, refusals].filter(Boolean).join('\n')) };
	});
}
