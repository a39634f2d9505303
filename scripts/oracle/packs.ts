import { existsSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

import { projectRoot } from '../n8nHost/paths';

/** Packs of nodes whose own scripts run in the frontend for the graphs under `packs/`. They are run, and no file of them is kept here. */
interface Pack {
	repository: string;
	commit: string;
	/** Folder of its scripts → where the frontend finds it; the first is what it loads. */
	served: Array<[folder: string, path: string]>;
}

const PACKS: Pack[] = [
	{
		repository: 'Kosinkadink/ComfyUI-VideoHelperSuite',
		commit: '4ee72c065db22c9d96c2427954dc69e7b908444b',
		served: [['web', '/extensions/ComfyUI-VideoHelperSuite']],
	},
	{
		repository: 'rgthree/rgthree-comfy',
		commit: '13b4399c00b5ef5a97b1b6800fc1185874740f5d',
		served: [
			['web/comfyui', '/extensions/rgthree-comfy'],
			['web/common', '/rgthree/common'],
		],
	},
	{
		repository: 'pythongosssss/ComfyUI-Custom-Scripts',
		commit: '609f3afaa74b2f88ef9ce8d939626065e3247469',
		served: [['web', '/extensions/ComfyUI-Custom-Scripts']],
	},
	{
		repository: 'kijai/ComfyUI-KJNodes',
		commit: '3f20054214fec9f9234fd3841ae6f1e4287948f6',
		served: [['web', '/extensions/ComfyUI-KJNodes']],
	},
];

const cloneOf = ({ repository }: Pack): string => join(projectRoot, '.cache/oracle/packs', repository.split('/')[1] ?? '');

/** What is to be done where they are not there; undefined where they are. */
export function missingPacks(): string | undefined {
	const missing = PACKS.filter((pack) => !existsSync(cloneOf(pack)));
	return missing.length === 0
		? undefined
		: missing.map((pack) => `${pack.repository} at ${pack.commit.slice(0, 7)} in ${cloneOf(pack)}`).join(', ');
}

export interface Scripts {
	/** Path under which a folder is served → the folder. */
	folders: Map<string, string>;
	scripts: string[];
	written: Map<string, string>;
}

const scriptsIn = (folder: string, path: string): string[] =>
	readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.js'))
		.map((name) => `${path}/${name.replaceAll(sep, '/')}`);

export function packScripts(): Scripts {
	const folders = new Map(
		PACKS.flatMap((pack) => pack.served.map(([folder, path]): [string, string] => [path, join(cloneOf(pack), folder)])),
	);
	const scripts = PACKS.flatMap((pack) =>
		pack.served.slice(0, 1).flatMap(([folder, path]) => scriptsIn(join(cloneOf(pack), folder), path)),
	);
	return {
		folders,
		scripts,
		written: new Map([['/rgthree/config.js', 'export const rgthreeConfig = { nodes: { reroute: { fast_reroute: {} } } };']]),
	};
}
