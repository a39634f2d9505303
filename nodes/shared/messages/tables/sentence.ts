import type { ApiError } from '../../../../client';

/** The words of a credential. */
export interface CredentialWords {
	name: string;
	secret: string;
	isOwnServer: boolean;
}

/** What happened, and how to go on. */
export type Sentence = (error: ApiError, credential: CredentialWords) => [string, string];

export type Sentences = Record<string, Sentence>;

export const notFound =
	(thing: string, why: string): Sentence =>
	() => [`The service knows no such ${thing}`, why];
