/** Under which key of a node's results an engine reports a file of each kind. */
const KEYS: Readonly<Record<string, string>> = {
	image: 'images',
	video: 'video',
	audio: 'audio',
	text: 'text',
	latent: 'latents',
	gif: 'gifs',
	'3d': '3d',
};

export function resultKey(kind: string, contentType: string): string {
	if (contentType.startsWith('model/')) return '3d';
	return KEYS[kind] ?? 'files';
}
