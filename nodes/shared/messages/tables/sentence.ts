import type { ApiError } from '../../../../client';

/** What a sentence depends on besides the error: the words of the credential, and which node says it. */
export interface CredentialWords {
	name: string;
	secret: string;
	isOwnServer: boolean;
	/** Comfy Run Workflow takes files in rows of *Files*, and has no *Job ID*. */
	isRunNode: boolean;
}

/** What happened, and how to go on. */
export type Sentence = (error: ApiError, credential: CredentialWords) => [string, string];

export type Sentences = Record<string, Sentence>;

export const notFound =
	(thing: string, why: string): Sentence =>
	() => [`The service knows no such ${thing}`, why];
