/** The address of a ComfyUI that is started without options. */
export const DEFAULT_ADDRESS = 'http://127.0.0.1:8188';
/** The addresses of the public service. */
export const DEFAULT_HOSTED_URL = 'https://cloud.comfy.org';
export const DEFAULT_ROUTER_URL = 'https://api.comfy.org';
