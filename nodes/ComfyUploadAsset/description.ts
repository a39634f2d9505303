import type { INodeProperties } from 'n8n-workflow';

import { authentication } from '../shared/descriptions/common';
import { operationField, operationFields } from '../shared/descriptions/operations';
import { operations } from './operations';

export const description: INodeProperties[] = [authentication, operationField(operations[''], 'upload'), ...operationFields(operations)];
