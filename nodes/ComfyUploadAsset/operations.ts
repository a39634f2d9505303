import type { OperationTable } from '../shared/descriptions/operations';
import { deleteAsset, getAsset } from './byId';
import * as createFromHash from './createFromHash';
import * as upload from './upload';
import * as uploadMask from './uploadMask';

export const operations = { '': { upload, uploadMask, createFromHash, get: getAsset, delete: deleteAsset } } satisfies OperationTable;
