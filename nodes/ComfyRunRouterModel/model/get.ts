import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import type { ItemResult } from '../../shared/operation';
import type { ReadParameter } from '../../shared/parameters';
import type { RouterContext } from '../../shared/connect/routerConnect';
import { readModelId } from '../modelId';

interface ModelSettings {
	model: string;
}

export const description: INodeProperties[] = [options(showForResource('model', 'get'), [concurrency])];

export const settings = (read: ReadParameter): ModelSettings => ({ model: readModelId(read) });

export async function execute({ connection, settings: { model }, signal, progress }: RouterContext<ModelSettings>): Promise<ItemResult> {
	progress.add({ model });
	return { json: (await connection.router.model(model, { signal })) as unknown as IDataObject };
}
