import type { IDataObject, INodeExecutionData, ITriggerFunctions } from 'n8n-workflow';

import { extensionOf, type TriggerEvent } from '../../client';
import type { TriggerSettings } from './settings';

/** n8n keeps files that a trigger makes for ever: only small ones. */
const LARGEST_PREVIEW_BYTES = 512 * 1024;

/** The same fields for the news of every source. */
const jsonOf = ({ preview, event, ...news }: TriggerEvent, { includeRawEvent }: TriggerSettings): IDataObject => ({
	...(news as unknown as IDataObject),
	...(preview !== undefined && { preview_content_type: preview.content_type, preview_bytes: preview.data.byteLength }),
	...(includeRawEvent && { event: event as IDataObject }),
});

/** A piece of news as an item; a preview, where it is asked for and small, as its file. */
export async function newsItem(trigger: ITriggerFunctions, news: TriggerEvent, settings: TriggerSettings): Promise<INodeExecutionData> {
	const json = jsonOf(news, settings);
	const { preview } = news;
	const { previewField } = settings;
	if (preview === undefined || previewField === undefined || preview.data.byteLength > LARGEST_PREVIEW_BYTES) return { json };
	const name = `preview-${news.node_id ?? 'node'}.${extensionOf(preview.content_type) ?? 'bin'}`;
	const binary = await trigger.helpers.prepareBinaryData(Buffer.from(preview.data), name, preview.content_type);
	return { json: { ...json, binary_field: previewField }, binary: { [previewField]: binary } };
}
