import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NAME = 'n8n-nodes-comfy';

/**
 * Returns the version from the package's manifest. The manifest is one level higher above the built files than above
 * the sources.
 */
function findVersion(folder: string): string {
	try {
		const { name, version: found } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
		if (name === NAME) return String(found);
	} catch {
		// No manifest here.
	}
	return folder === dirname(folder) ? 'unknown' : findVersion(dirname(folder));
}

/** The `User-Agent` header of every request. */
export const USER_AGENT = `${NAME}/${findVersion(__dirname)}`;
