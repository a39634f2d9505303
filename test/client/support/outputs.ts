import type { OutputDecoder } from '../../../client/comfyui/outputs';
import { isRecord } from '../../../client/json/decode';

/** Knows the files in `images` by their names alone. */
export const decodeImages: OutputDecoder = (nodeId, { images }) =>
	(Array.isArray(images) ? images : []).filter(isRecord).map(({ filename }) => ({
		node_id: nodeId,
		name: String(filename),
		type: 'image',
		content_type: 'image/png',
		size_bytes: 0,
		id: null,
		hash: null,
		url: '',
		url_expires_at: null,
	}));
