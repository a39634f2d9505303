import type { IDataObject } from 'n8n-workflow';

import type { ItemResult, ReadParameter } from '../../shared/operations';
import type { RouterContext } from '../../shared/routerConnect';
import { readModelId } from './modelId';

export interface ModelSettings {
	model: string;
}

export const settings = (read: ReadParameter): ModelSettings => ({ model: readModelId(read) });

export async function execute({ connection, settings: { model }, signal, known }: RouterContext<ModelSettings>): Promise<ItemResult> {
	known.model = model;
	return { json: (await connection.router.model(model, { signal })) as unknown as IDataObject };
}
