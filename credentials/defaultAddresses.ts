/** Where the API proxy and a ComfyUI listen that are started without settings. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:8189';
export const DEFAULT_ENGINE_URL = 'http://127.0.0.1:8188';
