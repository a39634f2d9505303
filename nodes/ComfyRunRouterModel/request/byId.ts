import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { ApiError, outcomeOf, type RouterRequest } from '../../../client';
import type { RouterOperation } from '../../shared/connect/routerConnections';
import { showForResource } from '../../shared/descriptions/common';
import { enteredText, type ReadParameter } from '../../shared/parameters';
import { readModelId } from '../models';
import { saveBytes, assignFields } from '../resultFiles';

/** The operations *Get* and *Cancel*, which have the same fields. */

interface RequestSettings {
	model: string;
	requestId: string;
}

export const description: INodeProperties[] = [
	{
		displayName: 'Request ID',
		name: 'requestId',
		type: 'string',
		required: true,
		default: '={{ $json.queue_request_id }}',
		placeholder: 'e.g. 8f14e45f-ceea-467f-a34f-5ac0d1a0f1c2',
		description: 'ID of the queued request, which a run with queued delivery returns in queue_request_id',
		displayOptions: showForResource('request', 'get', 'cancel'),
	},
];

const settings = (read: ReadParameter): RequestSettings => ({
	model: readModelId(read),
	requestId: enteredText(read<unknown>('requestId'), 'Request ID'),
});

function toStatusItem(model: string, request: RouterRequest): IDataObject {
	const { id, retryAfterMs, ...facts } = request as RouterRequest & IDataObject;
	return { model, queue_request_id: id, ...facts, retry_after_seconds: retryAfterMs === undefined ? null : retryAfterMs / 1000 };
}

/** Returns the request in any state, with its result if it has one. A failed request may have a result too. */
export const getRequest: RouterOperation<RequestSettings> = {
	menu: {
		name: 'Get',
		action: 'Get request',
		description: 'Get the status of a queued request, and its result if it is finished',
	},
	toolText:
		'Gets a queued request of the model router without waiting. Enter queue_request_id exactly as another tool returned it, and the model of the request. Returns JSON: status, and output if the status is COMPLETED. For any other status, call this tool again later. It runs nothing new and costs nothing.',
	description,
	settings,
	async execute(item, { model, requestId: id }) {
		const { connection, signal, progress } = item;
		progress.add({ model, queue_request_id: id });
		const request = await connection.router.requestStatus({ model, id }, { signal });
		progress.add({ request_id: request.request_id });
		const json = toStatusItem(model, request);
		if (request.status !== 'COMPLETED') return { json: { ...json, output: null } };
		const result = await outcomeOf(connection.router.requestResult({ model, id }, { signal, request }));
		if (!result.ok && (request.error_type === null || !(result.error instanceof ApiError))) throw result.error;
		if (!result.ok || result.value === undefined) return { json: { ...json, output: null } };
		const { facts, output } = result.value;
		if (output.kind === 'json') return { json: { ...json, ...facts, output: output.value as IDataObject } };
		const { binary, files } = assignFields([await saveBytes(item, model, output)], 'data');
		return { json: { ...json, ...facts, output: null, files }, binary };
	},
};

/** Asks the router to end the request. A run that has reached its provider is billed all the same. */
export const cancelRequest: RouterOperation<RequestSettings> = {
	menu: {
		name: 'Cancel',
		action: 'Cancel request',
		description: 'Cancel a queued request',
	},
	toolText:
		'Cancels a queued request of the model router. Enter queue_request_id exactly as another tool returned it, and the model of the request. Returns JSON with the status. A run that has started is billed nevertheless. Use this tool only if the user requests it.',
	description,
	settings,
	async execute({ connection, signal, progress }, { model, requestId }) {
		progress.add({ model, queue_request_id: requestId });
		const { status, request_id } = await connection.router.cancelRequest({ model, id: requestId }, { signal });
		return { json: { model, queue_request_id: requestId, status, request_id } };
	},
};
