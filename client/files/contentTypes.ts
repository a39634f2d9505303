/** The kinds of file that workflows make and take: each type with its extensions, the usual one first. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
	'image/png': ['png'],
	'image/apng': ['apng'],
	'image/jpeg': ['jpg', 'jpeg'],
	'image/webp': ['webp'],
	'image/gif': ['gif'],
	'image/avif': ['avif'],
	'image/svg+xml': ['svg'],
	'image/bmp': ['bmp'],
	'image/tiff': ['tif', 'tiff'],
	'image/x-exr': ['exr'],
	'video/mp4': ['mp4', 'm4v'],
	'video/webm': ['webm'],
	'video/quicktime': ['mov'],
	'video/x-matroska': ['mkv'],
	'video/x-msvideo': ['avi'],
	'audio/wav': ['wav'],
	'audio/mpeg': ['mp3'],
	'audio/flac': ['flac'],
	'audio/ogg': ['ogg'],
	'audio/opus': ['opus'],
	'audio/mp4': ['m4a'],
	'audio/aac': ['aac'],
	'text/plain': ['txt', 'srt'],
	'text/markdown': ['md'],
	'text/csv': ['csv'],
	'application/json': ['json'],
	'application/zip': ['zip'],
	'application/pdf': ['pdf'],
	'model/gltf-binary': ['glb'],
	'model/gltf+json': ['gltf'],
	'model/obj': ['obj'],
	'model/stl': ['stl'],
};

/** Other names that servers have for them. */
const SAME_TYPE: Readonly<Record<string, string>> = {
	'image/jpg': 'image/jpeg',
	'image/x-png': 'image/png',
	'image/aces': 'image/x-exr',
	'video/x-m4v': 'video/mp4',
	'video/matroska': 'video/x-matroska',
	'video/avi': 'video/x-msvideo',
	'audio/x-wav': 'audio/wav',
	'audio/wave': 'audio/wav',
	'audio/vnd.wave': 'audio/wav',
	'audio/mp3': 'audio/mpeg',
	'audio/x-flac': 'audio/flac',
	'audio/m4a': 'audio/mp4',
	'audio/x-m4a': 'audio/mp4',
	'application/ogg': 'audio/ogg',
	'application/x-zip-compressed': 'application/zip',
	'application/x-pdf': 'application/pdf',
	'model/x-obj': 'model/obj',
	'model/x.stl-binary': 'model/stl',
};

const TYPE_OF_EXTENSION = new Map(
	Object.entries(EXTENSIONS).flatMap(([type, extensions]) => extensions.map((extension) => [extension, type] as const)),
);

export const UNKNOWN_TYPE = 'application/octet-stream';

/** The content type that a file's name tells; `application/octet-stream` where it tells none. */
export function contentTypeOf(fileName: string): string {
	const extension = /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
	return TYPE_OF_EXTENSION.get(extension) ?? UNKNOWN_TYPE;
}

/** The usual file extension, without its dot; undefined for a type that is not listed. */
export function extensionOf(contentType: string): string | undefined {
	const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
	const name = Object.hasOwn(SAME_TYPE, type) ? (SAME_TYPE[type] as string) : type;
	return Object.hasOwn(EXTENSIONS, name) ? EXTENSIONS[name]?.[0] : undefined;
}
