/** `npm run live` in this process, against the sandbox in place of ComfyUI: what holds on a real ComfyUI holds here too. */
import { readCommandLine } from '../../scripts/live/commandLine';
import { runLive } from '../../scripts/live/runLive';
import { type Sandbox, startSandbox } from '../../sandbox';
import { runFaster } from '../support/fastClock';

const OF_PROXY = [
	...['Find the server', 'Upload', 'Load and invert', 'Submit, wait, save', 'Same key, one job', 'Unknown node class', 'Invalid input'],
	...['Failed job', 'Unknown job', 'Cancel a waiting job', 'Live events', 'Stop a running job'],
];
const OF_ENGINE = [
	...[
		'Front of the queue',
		'Upload mask',
		'Image format',
		'Saved workflows',
		'Embedded workflow',
		'Texts and previews',
		'Server information',
		'Log of the server',
		'Models',
		'Retired nodes',
		'Free memory',
		'Clear history',
	],
];
const mappings = { old_widget_ids: null, input_mapping: null, output_mapping: null };
const retired = { old_node_id: 'Preview3DAnimation', new_node_id: 'Preview3D', ...mappings };
/** Names of checks are padded to it. */
const NAME_WIDTH = 24;

runFaster(5);

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ engineUsers: { ann_1: 'Ann' }, nodeReplacements: { Preview3DAnimation: [retired] } });
});
afterAll(async () => await sandbox.close());

test('every check holds on ComfyUI and through an API proxy with a token', async () => {
	const { urls, keys } = sandbox;
	const proxy = ['--proxy', urls.self_hosted_token_url, '--token', keys.bearer];
	const commandLine = readCommandLine(['--url', urls.engine, '--user', 'ann_1', ...proxy]);
	if (commandLine === undefined) throw new Error('Only help was asked for');
	const lines: string[] = [];
	const hasHeld = await runLive(commandLine, (line) => lines.push(line), 2_000);
	const held = lines.flatMap((line) => (line.startsWith('✓ ') ? [line.slice(2, 2 + NAME_WIDTH).trimEnd()] : []));
	expect({ held, hasHeld, lines }).toMatchObject({ held: [...OF_PROXY, ...OF_ENGINE, 'Users', ...OF_PROXY], hasHeld: true });
});
