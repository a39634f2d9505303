import type { IDataObject } from 'n8n-workflow';

import { ApiError, outcomeOf, type RouterRequest } from '../../../client';
import type { ItemResult } from '../../shared/operation';
import type { RouterContext } from '../../shared/connect/routerConnect';
import { bytesFile, withFields } from '../itemFiles';
import type { RequestSettings } from './requestId';

export { settings } from './requestId';

function statusItem(model: string, request: RouterRequest): IDataObject {
	const { id, retryAfterMs: pauseMs, ...facts } = request as RouterRequest & IDataObject;
	return { model, queue_request_id: id, ...facts, retry_after_seconds: pauseMs === undefined ? null : pauseMs / 1000 };
}

/** The request as it stands, with its result once there is one: also one that ended badly may have one, and is no failure of looking at it. */
export async function execute(context: RouterContext<RequestSettings>): Promise<ItemResult> {
	const { connection, settings, signal, progress } = context;
	const { model, requestId: id } = settings;
	progress.add({ model, queue_request_id: id });
	const request = await connection.router.requestStatus({ model, id }, { signal });
	progress.add({ request_id: request.request_id });
	const json = statusItem(model, request);
	if (request.status !== 'COMPLETED') return { json: { ...json, output: null } };
	const read = await outcomeOf(connection.router.requestResult({ model, id }, { signal, request }));
	if (!read.ok && !(request.error_type !== null && read.error instanceof ApiError)) throw read.error;
	const run = read.ok ? read.value : undefined;
	if (run === undefined) return { json: { ...json, output: null } };
	Object.assign(json, run.facts);
	if (run.output.kind === 'json') return { json: { ...json, output: run.output.value as IDataObject } };
	const { binary, files } = withFields([await bytesFile(context, model, run.output)], 'data');
	return { json: { ...json, output: null, files }, binary };
}
