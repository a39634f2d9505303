import type { Connection } from './connect';
import type { CallOptions } from './services';

/**
 * Asks the service once whether it is there and accepts the key.
 * @throws ApiError for a wrong key; UnreadableAnswerError when something else answers; ConnectionError.
 */
export async function verifyAccess(connection: Connection, options: CallOptions = {}): Promise<void> {
	await connection.verifyAccess(options);
}
