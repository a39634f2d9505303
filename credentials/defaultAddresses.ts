/** Where a ComfyUI listens that is started without settings. */
export const DEFAULT_ADDRESS = 'http://127.0.0.1:8188';
/** The public service. */
export const DEFAULT_HOSTED_URL = 'https://cloud.comfy.org';
export const DEFAULT_ROUTER_URL = 'https://api.comfy.org';
