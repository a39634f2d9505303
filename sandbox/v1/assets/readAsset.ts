/** What a request says of an asset: in JSON or in multipart. */
import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import { passThrough } from '../../http/passThrough';
import { isRecord, isTexts } from '../../records';
import { invalid } from '../refusals';

export interface AssetFields {
	name?: string;
	mimeType?: string;
	tags?: string[];
	userMetadata?: Record<string, unknown>;
}

/** @throws Refusal for a field of the wrong type. */
export function readAssetFields({ name, mime_type: mimeType, tags, user_metadata: userMetadata }: Record<string, unknown>): AssetFields {
	if (name !== undefined && typeof name !== 'string') throw invalid('name must be a text');
	if (mimeType !== undefined && typeof mimeType !== 'string') throw invalid('mime_type must be a text');
	if (tags !== undefined && !isTexts(tags)) throw invalid('tags must be a list of texts');
	if (userMetadata !== undefined && !isRecord(userMetadata)) throw invalid('user_metadata must be an object');
	return {
		...(name !== undefined && { name }),
		...(mimeType !== undefined && { mimeType }),
		...(tags !== undefined && { tags }),
		...(userMetadata !== undefined && { userMetadata }),
	};
}

/** The body `{tags}` of the two routes that change tags. @throws Refusal. */
export function readTags(body: unknown): string[] {
	const tags = isRecord(body) ? body.tags : undefined;
	if (!isTexts(tags) || tags.length === 0) throw invalid('tags must be a list of at least one text');
	return tags;
}

export interface ReceivedFile extends AssetFields {
	/** The id that the caller wants, so that the same creation makes one asset. */
	id?: string;
	bytes: Buffer;
	fileName: string;
	contentType: string;
}

/** @throws Refusal where there is no file. */
export async function receiveFile(request: IncomingMessage): Promise<ReceivedFile> {
	const fields: Record<string, unknown> = {};
	const tags: string[] = [];
	const chunks: Buffer[] = [];
	let file: { fileName: string; contentType: string } | undefined;
	try {
		const headers = { ...request.headers, 'content-type': request.headers['content-type'] ?? '' };
		const parser = new Busboy({ headers, isPartAFile: (name) => name === 'file', limits: { files: 1 } });
		parser.on('field', (name, value) => (name === 'tags' ? tags.push(value) : (fields[name] = value)));
		parser.on('file', (_name, stream, fileName, _encoding, contentType) => {
			file = { fileName, contentType };
			stream.on('data', (chunk: Buffer) => chunks.push(chunk));
		});
		await passThrough(request, parser);
	} catch (error) {
		throw invalid(`The upload is not readable multipart: ${error instanceof Error ? error.message : String(error)}`);
	}
	if (file === undefined) throw invalid('file is required');
	const { id, user_metadata: metadata, ...rest } = fields;
	const userMetadata = typeof metadata === 'string' ? readMetadata(metadata) : undefined;
	const described = readAssetFields({
		...rest,
		...(tags.length > 0 && { tags }),
		...(userMetadata !== undefined && { user_metadata: userMetadata }),
	});
	return { ...described, ...file, ...(typeof id === 'string' && { id }), bytes: Buffer.concat(chunks) };
}

function readMetadata(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		throw invalid('user_metadata must be JSON');
	}
}
