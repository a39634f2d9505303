/** Reads the fields of an upload. */
import type { IncomingMessage } from 'node:http';
import { receiveForm, type ReceivedForm } from '../storage/receiveForm';
import type { StoredFile } from '../storage/blobs';
import { malformed, Refusal, type Traits } from '../service/traits';
import { requireEngineForFiles, type Service } from '../service/service';

export interface Upload extends StoredFile {
	filePath: string;
	expectedHash: string | undefined;
	expiresAt: number | null;
}

/** @throws Refusal if it is not a valid upload. */
export async function receiveUpload(request: IncomingMessage, service: Service): Promise<Upload> {
	const { traits, blobs } = service;
	const { fields, file } = await receiveForm(request, blobs, {
		fileField: 'file',
		refuse: traits.selfHosted ? undefined : fieldMissingBeforeFile,
		unreadable: (message) => malformed(traits, message),
	});
	if (file === undefined) throw malformed(traits, 'file is required');
	requireEngineForFiles(service);
	const filePath = fields.get('file_path')?.[0];
	if (filePath === undefined || filePath === '') throw malformed(traits, 'file_path is required');
	if (traits.selfHosted) checkFolder(filePath);
	const expiresIn = fields.get('expires_in')?.[0];
	return {
		blob: file.blob,
		contentType: fields.get('content_type')?.[0] ?? file.contentType,
		filePath,
		expectedHash: fields.get('expected_hash')?.[0],
		expiresAt: readExpiresIn(expiresIn === undefined ? undefined : Number(expiresIn), traits),
	};
}

/** The hosted service streams the file onward, so that it needs these fields first. */
function fieldMissingBeforeFile(fields: ReceivedForm['fields']): Refusal | undefined {
	const field = ['content_type', 'file_path'].find((name) => !fields.has(name));
	if (field === undefined) return undefined;
	return new Refusal({ status: 422, code: 'invalid_body', message: `${field} is required and must be sent before the file field` });
}

/** The proxy stores files where ComfyUI looks for them: without a folder, or in the input folder. */
function checkFolder(filePath: string): void {
	const [root, ...rest] = filePath.split('/');
	if (rest.length === 0 || (root === 'input' && !rest.includes('..'))) return;
	throw new Refusal({
		status: 422,
		code: 'invalid_request',
		message: `'${root}' is not an allowlisted placement root (allowed: ['input'])`,
	});
}

const SHORTEST_SECONDS = 60;
const LONGEST_SECONDS = 604_800;

/** When an asset with this `expires_in` expires, in epoch milliseconds; null: never. The proxy ignores it. @throws Refusal if it is out of bounds. */
export function readExpiresIn(expiresIn: unknown, traits: Traits): number | null {
	if (traits.selfHosted || expiresIn === undefined || expiresIn === null) return null;
	const seconds = Number.isInteger(expiresIn) ? Number(expiresIn) : NaN;
	if (!(seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS)) {
		throw malformed(traits, `expires_in must be ${SHORTEST_SECONDS} to ${LONGEST_SECONDS} seconds`);
	}
	return Date.now() + seconds * 1000;
}
