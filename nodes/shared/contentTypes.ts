/** The kinds of file that workflows make and take. */
const extensions: Record<string, string> = {
	'image/png': 'png',
	'image/jpeg': 'jpg',
	'image/webp': 'webp',
	'image/gif': 'gif',
	'image/avif': 'avif',
	'image/svg+xml': 'svg',
	'video/mp4': 'mp4',
	'video/webm': 'webm',
	'video/quicktime': 'mov',
	'audio/wav': 'wav',
	'audio/x-wav': 'wav',
	'audio/mpeg': 'mp3',
	'audio/flac': 'flac',
	'audio/ogg': 'ogg',
	'audio/opus': 'opus',
	'text/plain': 'txt',
	'application/json': 'json',
	'application/zip': 'zip',
	'model/gltf-binary': 'glb',
};

export const UNKNOWN_CONTENT_TYPE = 'application/octet-stream';

/** The usual file extension, without its dot; undefined for a type that is not listed. */
export const extension = (contentType: string): string | undefined =>
	extensions[(contentType.split(';')[0] ?? '').trim().toLowerCase()];
