import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { run } from '../../n8nHost/processes';
import { hostFolder, projectRoot } from '../../n8nHost/paths';
import type { LoadOptions } from '../works/load';
import { contestOf, type Contestants } from './contestOf';
import { atMost, resultOf, shownNumber, type Topic } from './topic';

const OURS = 'all nodes of this package';
const HTTP_REQUEST = 'n8n’s HTTP Request alone';
const S3 = 'n8n’s S3 alone';

/** n8n itself has loaded it before any node. */
const ALREADY = 'n8n-workflow';

/** What n8n loads of this package; built first where it is not. */
export async function packageLoad(): Promise<LoadOptions> {
	const { n8n } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { n8n: { nodes: string[] } };
	const files = n8n.nodes.map((file) => join(projectRoot, file));
	if (!files.every(existsSync)) await run('npm', ['run', 'build'], { cwd: projectRoot });
	return { files, already: [require.resolve(ALREADY)] };
}

function loadOfN8n(packageName: string, path: string): LoadOptions {
	const requireOfN8n = createRequire(realpathSync(join(hostFolder, 'node_modules/n8n/package.json')));
	const file = requireOfN8n.resolve(`${packageName}/dist/${path}`);
	return { files: [file], already: [createRequire(file).resolve(ALREADY)] };
}

export const LOAD_TOPIC: Topic = {
	name: 'load',
	times: 'compared',
	title: 'Loading the package',
	how: 'Plain Node, which has loaded `n8n-workflow` already, loads the files that n8n loads. HTTP Request and S3 are single nodes of n8n’s own.',
	means: 'n8n starts no slower.',
	shown: {
		modules: ({ modules = NaN }) => String(modules),
		'memory of these': ({ mib = NaN }) => `${shownNumber(mib)} MiB`,
	},
	measure: async ({ rounds }) => {
		const contestants: Contestants = {
			[OURS]: ['load.load', await packageLoad()],
			[HTTP_REQUEST]: ['load.load', loadOfN8n('n8n-nodes-base', 'nodes/HttpRequest/HttpRequest.node.js')],
			[S3]: ['load.load', loadOfN8n('n8n-nodes-base', 'nodes/S3/S3.node.js')],
		};
		return [{ size: 'once', results: await contestOf(contestants, { rounds }) }];
	},
	goals: (results) => [atMost('Loading all nodes: time ÷ HTTP Request alone', resultOf(results, OURS).ratios[HTTP_REQUEST] ?? NaN, 0.5)],
};
