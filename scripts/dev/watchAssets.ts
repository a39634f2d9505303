import { copyFileSync, existsSync, mkdirSync, readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';

/** What the build copies as it is. */
const ASSETS = [
	{ folder: 'nodes', isAsset: (path: string) => path.endsWith('.node.json') },
	{ folder: 'icons', isAsset: (path: string) => path.endsWith('.svg') },
];

function copy(from: string, to: string): void {
	mkdirSync(dirname(to), { recursive: true });
	copyFileSync(from, to);
}

/** Copies icons and codex files, and again whenever one changes. @returns what ends it. */
export function watchAssets(root: string, outFolder: string): () => void {
	const watchers = ASSETS.map(({ folder, isAsset }) => {
		const take = (path: string): void => copy(join(root, folder, path), join(outFolder, folder, path));
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(isAsset).forEach(take);
		return watch(join(root, folder), { recursive: true }, (_event, path) => {
			if (path !== null && isAsset(path) && existsSync(join(root, folder, path))) take(path);
		});
	});
	return () => watchers.forEach((watcher) => watcher.close());
}
