import type { ApiError } from '../../../../client';
import type { NamedCredential } from '../../credentials';
import { engineSentences } from './engine';
import { reasonLines } from '../nodeReasons';
import type { Sentence, Sentences } from './sentence';
import { routerRemarks, routerSentences } from './router';
import { v1Sentences } from './v1';
import { v2Sentences } from './v2';
import { type Words, words } from '../words';

const tables: Record<ApiError['interface'], Sentences> = {
	v1: v1Sentences,
	v2: v2Sentences,
	engine: engineSentences,
	router: routerSentences,
};

const unknownCode: Sentence = (error) => [
	`The service answered "${error.code}" (HTTP ${error.status}): ${error.message}`,
	'This answer is new to this node; the service’s own words above say what it means.',
];

/** Words for a refusal; a code that is new keeps the service's own words. */
export function apiWords(error: ApiError, credential?: NamedCredential, isRunNode = false): Words {
	const table = tables[error.interface];
	const sentence = Object.hasOwn(table, error.code) ? (table[error.code] as Sentence) : unknownCode;
	const [message, advice] = sentence(error, {
		name: credential?.displayName ?? 'Comfy',
		secret: credential?.secretLabel ?? 'API Key',
		isOwnServer: credential?.isOwnServer === true,
		isRunNode,
	});
	return words(
		message,
		...(error.interface === 'router' ? routerRemarks(error) : reasonLines(error)),
		advice,
		error.requestId && `Request id: ${error.requestId}`,
	);
}
