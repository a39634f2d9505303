import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NAME = 'n8n-nodes-comfy';

/** From the package's own manifest, which lies higher above what is built than above the sources. */
function version(folder: string): string {
	try {
		const { name, version: found } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
		if (name === NAME) return String(found);
	} catch {
		// No manifest here.
	}
	return folder === dirname(folder) ? 'unknown' : version(dirname(folder));
}

/** What every request says of us to the service. */
export const USER_AGENT = `${NAME}/${version(__dirname)}`;
