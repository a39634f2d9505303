import type { OperationTable } from '../shared/descriptions/operations';
import { cancelJob, getJob } from './job/byId';
import * as jobGetAll from './job/getAll';
import * as jobGetLog from './job/getLog';
import * as nodeDefinitionGetAll from './nodeDefinition/getAll';
import * as queueDelete from './queue/delete';
import * as queueGet from './queue/get';
import * as queueInterrupt from './queue/interrupt';
import * as serverClearHistory from './server/clearHistory';
import * as serverFreeMemory from './server/freeMemory';
import * as serverGetAllModels from './server/getAllModels';
import * as serverGetInfo from './server/getInfo';
import * as workflowCheck from './workflow/check';
import * as workflowGetAll from './workflow/getAll';

export const operations = {
	job: { get: getJob, getAll: jobGetAll, getLog: jobGetLog, cancel: cancelJob },
	nodeDefinition: { getAll: nodeDefinitionGetAll },
	queue: { get: queueGet, delete: queueDelete, interrupt: queueInterrupt },
	server: {
		clearHistory: serverClearHistory,
		freeMemory: serverFreeMemory,
		getInfo: serverGetInfo,
		getAllModels: serverGetAllModels,
	},
	workflow: { check: workflowCheck, getAll: workflowGetAll },
} satisfies OperationTable;
