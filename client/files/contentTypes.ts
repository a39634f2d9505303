/** What the names of files tell of them. */
const TYPE_OF_EXTENSION: Readonly<Record<string, string>> = {
	png: 'image/png',
	apng: 'image/apng',
	jpg: 'image/jpeg',
	jpeg: 'image/jpeg',
	webp: 'image/webp',
	gif: 'image/gif',
	avif: 'image/avif',
	svg: 'image/svg+xml',
	bmp: 'image/bmp',
	tif: 'image/tiff',
	tiff: 'image/tiff',
	exr: 'image/x-exr',
	mp4: 'video/mp4',
	m4v: 'video/mp4',
	webm: 'video/webm',
	mov: 'video/quicktime',
	mkv: 'video/x-matroska',
	avi: 'video/x-msvideo',
	wav: 'audio/wav',
	mp3: 'audio/mpeg',
	flac: 'audio/flac',
	ogg: 'audio/ogg',
	opus: 'audio/opus',
	m4a: 'audio/mp4',
	aac: 'audio/aac',
	txt: 'text/plain',
	md: 'text/markdown',
	csv: 'text/csv',
	srt: 'text/plain',
	json: 'application/json',
	zip: 'application/zip',
	pdf: 'application/pdf',
	glb: 'model/gltf-binary',
	gltf: 'model/gltf+json',
	obj: 'model/obj',
	stl: 'model/stl',
};

export const UNKNOWN_TYPE = 'application/octet-stream';

/** The content type that a file's name tells; `application/octet-stream` where it tells none. */
export function contentTypeOf(fileName: string): string {
	const extension = /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
	return Object.hasOwn(TYPE_OF_EXTENSION, extension) ? (TYPE_OF_EXTENSION[extension] as string) : UNKNOWN_TYPE;
}
