import type { Connection, FoundService } from './connect';
import type { CallOptions } from './services';

/**
 * Asks the service once whether it is there and accepts the key. @returns what it is.
 * @throws ApiError for a wrong key; UnreadableAnswerError when something else answers; ConnectionError.
 */
export async function verifyAccess(connection: Connection, options: CallOptions = {}): Promise<FoundService> {
	return await connection.verifyAccess(options);
}
