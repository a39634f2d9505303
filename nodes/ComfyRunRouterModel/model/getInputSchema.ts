import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { withNumbersAsText } from '../../../client';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import type { ItemResult } from '../../shared/operation';
import type { ReadParameter } from '../../shared/parameters';
import type { RouterContext } from '../../shared/connect/routerConnect';
import { formOf } from '../form';
import { detailOf, schemaOf } from '../modelCache';
import { readModelId } from '../modelId';

interface SchemaSettings {
	model: string;
	includeDocument: boolean;
}

export const description: INodeProperties[] = [
	options(showForResource('model', 'getInputSchema'), [
		concurrency,
		{
			displayName: 'Include Document',
			name: 'includeDocument',
			type: 'boolean',
			default: false,
			description: 'Whether to output the whole OpenAPI document too, to which references in the schema lead',
		},
	]),
];

export const settings = (read: ReadParameter): SchemaSettings => ({
	model: readModelId(read),
	includeDocument: read<{ includeDocument?: boolean }>('options', {}).includeDocument ?? false,
});

/** The schema as it is, and the fields that a form would have. */
export async function execute({
	connection,
	settings: { model, includeDocument },
	signal,
	progress,
}: RouterContext<SchemaSettings>): Promise<ItemResult> {
	progress.add({ model });
	const found = await schemaOf(connection, model, signal);
	const json: IDataObject = {
		model,
		request_id: found?.request_id ?? ((await detailOf(connection, model, signal)).request_id as string | null),
		input_schema_authored: found?.authored ?? false,
		fields: (formOf(found)?.fields ?? []) as unknown as IDataObject[],
		schema: withNumbersAsText(found?.schema ?? null) as IDataObject | null,
	};
	return { json: includeDocument ? { ...json, document: withNumbersAsText(found?.document ?? null) as IDataObject | null } : json };
}
