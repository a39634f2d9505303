import { findProgram, foldersOn } from '../../support/programs';

/** n8n's node Edit Image starts this program. @throws Error in one line if it is not installed. */
export function findGraphicsMagick(env: NodeJS.ProcessEnv = process.env): string {
	const found = findProgram('gm', foldersOn(env));
	if (found === undefined)
		throw new Error(
			"n8n's node Edit Image needs GraphicsMagick: install it (Debian and Ubuntu: `apt-get install graphicsmagick`), then run these tests again.",
		);
	return found;
}
