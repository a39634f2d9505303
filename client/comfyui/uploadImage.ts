import type { ServiceApi } from '../requests/serviceApi';
import { requireRecord, requireText, textOr, type Unchecked } from '../json/decode';
import { sendFile } from '../files/sendFile';
import type { V1 } from '../generated/v1';
import type { CallOptions } from '../ports/jobService';
import type { UploadResult, UploadSource } from '../ports/files';
import { toFileUrl } from './outputs';

export interface ImageForm extends CallOptions {
	fields: ReadonlyArray<readonly [name: string, value: string]>;
	/** What the file is for, if the answer does not say it. */
	use: string;
	filePath: string;
}

/** Uploads a file by a route that v1 and engines share. */
export async function uploadImage(
	api: ServiceApi,
	path: string,
	source: UploadSource,
	{ fields, use, filePath, signal }: ImageForm,
): Promise<UploadResult> {
	const form = { url: api.url(path), fields, fileField: 'image', fileName: filePath };
	const { answer, bytesSent } = await sendFile(api, source, form, decodeUploaded, { signal });
	const reference = { filename: answer.name, subfolder: textOr(answer.subfolder, ''), type: textOr(answer.type, use) };
	const asset = {
		...answer,
		id: null,
		hash: null,
		size_bytes: bytesSent,
		content_type: source.contentType,
		created_at: null,
		url: toFileUrl(api, reference),
		url_expires_at: null,
		job_id: null,
		file_path: null,
		created_new: null,
		expires_at: null,
		subfolder: reference.subfolder,
		type: reference.type,
	};
	return { asset, bytesSent };
}

/** @throws ShapeError if the answer names no file. */
function decodeUploaded(value: unknown): Omit<Unchecked<V1['Uploaded']>, 'name'> & { name: string } {
	const answer = requireRecord<V1['Uploaded']>(value, 'upload answer');
	return { ...answer, name: requireText(answer.name, 'name') };
}
