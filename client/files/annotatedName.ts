import type { FileReference } from '../job';

/** As loaders take it: with its folder, and with a mark where it is no input. */
export function annotatedName({ filename, subfolder, type }: FileReference): string {
	const path = subfolder === '' ? filename : `${subfolder}/${filename}`;
	return type === 'input' ? path : `${path} [${type}]`;
}
