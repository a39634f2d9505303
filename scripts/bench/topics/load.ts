import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { run } from '../../n8nHost/processes';
import { projectRoot } from '../../n8nHost/paths';
import type { LoadOptions } from '../works/load';
import { contestOf } from './contestOf';
import { atMost, resultOf, shownNumber, type Topic } from './topic';

const OURS = 'all nodes of this package';

/** n8n itself has loaded it before any node. */
const ALREADY = 'n8n-workflow';

/** What n8n loads of this package; built first where it is not. */
export async function packageLoad(): Promise<LoadOptions> {
	const { n8n } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { n8n: { nodes: string[] } };
	const files = n8n.nodes.map((file) => join(projectRoot, file));
	if (!files.every(existsSync)) await run('npm', ['run', 'build'], { cwd: projectRoot });
	return { files, already: [require.resolve(ALREADY)] };
}

export const LOAD_TOPIC: Topic = {
	name: 'load',
	times: 'alone',
	title: 'Loading the package',
	how: 'Plain Node, which has loaded `n8n-workflow` already, loads the files that n8n loads.',
	means: 'n8n starts no slower.',
	shown: {
		modules: ({ modules = NaN }) => String(modules),
		'memory of these': ({ mib = NaN }) => `${shownNumber(mib)} MiB`,
	},
	measure: async ({ rounds }) => [{ size: 'once', results: await contestOf({ [OURS]: ['load.load', await packageLoad()] }, { rounds }) }],
	goals: (results) => [atMost('Loading all nodes: memory', resultOf(results, OURS).facts.mib ?? NaN, 40, ' MiB')],
};
