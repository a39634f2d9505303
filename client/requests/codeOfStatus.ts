/** The codes of statuses that mean the same in every interface. */
const COMMON: Readonly<Record<number, string>> = {
	401: 'unauthorized',
	403: 'forbidden',
	404: 'not_found',
	413: 'payload_too_large',
};

/**
 * Returns the code of an error by its status alone.
 * @param own the other statuses of the interface. They come first.
 * @returns undefined if the interface does not answer this status.
 */
export const codeOfStatus = (status: number, own: Readonly<Record<number, string>>): string | undefined =>
	own[status] ?? COMMON[status] ?? (status >= 500 ? 'upstream_error' : undefined);
