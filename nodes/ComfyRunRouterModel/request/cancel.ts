import type { ItemResult } from '../../shared/operation';
import type { RouterContext } from '../../shared/connect/routerConnect';
import type { RequestSettings } from './requestId';

export { settings } from './requestId';

/** Asks for the request's end; a run that has reached its provider is billed all the same. */
export async function execute({
	connection,
	settings: { model, requestId },
	signal,
	progress,
}: RouterContext<RequestSettings>): Promise<ItemResult> {
	progress.add({ model, queue_request_id: requestId });
	const { status, request_id } = await connection.router.cancelRequest({ model, id: requestId }, { signal });
	return { json: { model, queue_request_id: requestId, status, request_id } };
}
