import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** n8n's node Edit Image starts this program. n8n's Docker image contains it. */
const PROGRAM = 'gm';

/** @throws Error in one line if GraphicsMagick is not on the PATH. */
export function findGraphicsMagick({ PATH: path = '' }: NodeJS.ProcessEnv = process.env): string {
	for (const folder of path.split(delimiter).filter(Boolean)) {
		const program = join(folder, PROGRAM);
		try {
			accessSync(program, constants.X_OK);
			return program;
		} catch {
			// It is not in this folder.
		}
	}
	throw new Error(
		"n8n's node Edit Image needs GraphicsMagick: install it (Debian and Ubuntu: `apt-get install graphicsmagick`), then run these tests again.",
	);
}
