import type { ModelRouterConnection } from '../shared/connect/routerConnections';
import type { RouterCredential } from '../shared/credentials';
import type { OperationTable } from '../shared/descriptions/operations';
import { getInputSchema, getModel } from './model/byId';
import * as estimateCost from './model/estimateCost';
import * as modelGetAll from './model/getAll';
import { runModel } from './model/run/operation';
import { cancelRequest, getRequest } from './request/byId';

export const operations = {
	model: { run: runModel, estimateCost, getAll: modelGetAll, get: getModel, getInputSchema },
	request: { get: getRequest, cancel: cancelRequest },
} satisfies OperationTable<ModelRouterConnection, RouterCredential>;
