/** Receives a multipart upload: reads its fields, and streams the file to disk. */
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { pipeInto } from '../http/routes';
import type { Blob } from '../storage/blobs';
import { malformed, Refusal, type Traits } from '../service/traits';
import { requireEngineForFiles, type Service } from '../service/service';

const FILE_BUFFER_BYTES = 256 * 1024;

export interface Upload {
	blob: Blob;
	contentType: string;
	filePath: string;
	expectedHash: string | undefined;
	tags: string[];
	expiresAt: number | null;
}

type Form = Map<string, string[]>;

interface ReceivedFile {
	blob: Promise<Blob>;
	stream: BusboyFileStream;
	partType: string;
}

/** @throws Refusal if it is not a valid upload. Its bytes are deleted then. */
export async function receiveUpload(request: IncomingMessage, service: Service): Promise<Upload> {
	const form: Form = new Map();
	let file: ReceivedFile | undefined;
	let early: Refusal | undefined;
	const parser = openParser(request, service);
	parser.on('field', (name, value) => form.set(name, [...(form.get(name) ?? []), value]));
	parser.on('file', (_name, stream, _filename, _encoding, partType) => {
		early = service.traits.selfHosted ? undefined : fieldMissingBeforeFile(form);
		if (early !== undefined) stream.resume();
		else file = { blob: service.blobs.write(stream), stream, partType };
	});
	try {
		await pipeInto(request, parser);
	} catch (error) {
		const cause = error instanceof Error ? error : new Error(String(error));
		file?.stream.destroy(cause);
		await file?.blob.catch(() => undefined);
		throw malformed(service.traits, `The upload is not readable multipart: ${cause.message}`);
	}
	if (early !== undefined) throw early;
	if (file === undefined) throw malformed(service.traits, 'file is required');
	const blob = await file.blob;
	try {
		const upload = readForm(form, file, blob, service);
		requireEngineForFiles(service);
		return upload;
	} catch (error) {
		await service.blobs.discard(blob);
		throw error;
	}
}

function openParser(request: IncomingMessage, service: Service): BusboyInstance {
	try {
		return new Busboy({
			headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
			fileHwm: FILE_BUFFER_BYTES,
			isPartAFile: (name) => name === 'file',
			limits: { files: 1, ...(service.traits.selfHosted && { fileSize: service.behaviour.uploadLimitBytes }) },
		});
	} catch (error) {
		throw malformed(service.traits, error instanceof Error ? error.message : 'The body is not multipart');
	}
}

/** The hosted service streams the file onward, so that it needs these fields first. */
function fieldMissingBeforeFile(form: Form): Refusal | undefined {
	const field = ['content_type', 'file_path'].find((name) => !form.has(name));
	if (field === undefined) return undefined;
	return new Refusal({ status: 422, code: 'invalid_body', message: `${field} is required and must be sent before the file field` });
}

function readForm(form: Form, file: ReceivedFile, blob: Blob, { traits, behaviour }: Service): Upload {
	if (file.stream.truncated) {
		throw new Refusal({ status: 413, code: 'payload_too_large', message: `Files may have at most ${behaviour.uploadLimitBytes} bytes` });
	}
	const filePath = form.get('file_path')?.[0];
	if (filePath === undefined || filePath === '') throw malformed(traits, 'file_path is required');
	if (traits.selfHosted) checkFolder(filePath);
	const expiresIn = form.get('expires_in')?.[0];
	return {
		blob,
		contentType: form.get('content_type')?.[0] ?? file.partType,
		filePath,
		expectedHash: form.get('expected_hash')?.[0],
		tags: form.get('tags') ?? [],
		expiresAt: readExpiresIn(expiresIn === undefined ? undefined : Number(expiresIn), traits),
	};
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
