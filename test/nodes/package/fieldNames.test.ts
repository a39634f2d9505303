import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ComfyApi } from '../../../credentials/ComfyApi.credentials';
import { ComfyRouterJwtApi } from '../../../credentials/ComfyRouterJwtApi.credentials';
import { ComfySelfHostedApi } from '../../../credentials/ComfySelfHostedApi.credentials';
import { ComfyProgressTrigger } from '../../../nodes/ComfyProgressTrigger/ComfyProgressTrigger.node';
import { nodes } from '../support/engine';

const root = join(__dirname, '../../..');

/** Everything that the editor shows of the nodes and credentials: labels, choices and outputs. */
function labelsIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(labelsIn);
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object' || value === null) return [];
	const shown = Object.entries(value).filter(
		([name, one]) => typeof one === 'object' || ['displayName', 'name', 'placeholder'].includes(name),
	);
	return shown.flatMap(([, one]) => labelsIn(one));
}

const descriptions = [...Object.values(nodes), new ComfyProgressTrigger()].map(({ description }) => description);
const credentials = [new ComfyApi(), new ComfyRouterJwtApi(), new ComfySelfHostedApi()];
const labels = labelsIn([descriptions, credentials]);
/** A text may leave out a unit or a note in brackets at the end of a label. */
const known = new Set(labels.flatMap((label) => [label, label.replace(/ \([^)]*\)$/, ''), label.replace(/^Comfy /, '')]));

/** What n8n shows. */
const OF_N8N = [
	...['Allowed HTTP Request Domains', 'Connect to Comfy', 'Create new credential', 'Credential', 'Error', 'Error Trigger', 'Evaluations'],
	...[
		'Execute Workflow',
		'Execute step',
		'Executions',
		'Fixed',
		'From file',
		'HTTP Request',
		'Import',
		'Import from File',
		'Edit Image',
		'S3',
	],
	...[
		'Let the model define this parameter',
		'Ollama Chat Model',
		'Keep Alive',
		'On Error',
		'Stop Workflow',
		'Retry',
		'Retry On Fail',
		'Wait',
	],
	...['Retry execution', 'Retry with currently saved workflow', 'Save', 'Save execution progress', 'Settings', 'Download Images/Files'],
	...[
		'Restrict to User IDs',
		'Limit Rows',
		'Read/Write Files from Disk',
		'Telegram API',
		'Queue mode',
		'failed to be processed too many times',
		'running',
	],
];

/** What ComfyUI, its packs and other programs show. */
const OF_OTHERS = [
	...['@BotFather', 'Expose HTTP Ports', 'Service Auth', 'Any Switch', 'App Mode', 'Checkpoint', 'DecodeAndSaveVideo', 'Dev Mode'],
	...['Export (API)', 'Save (API Format)', 'KSampler', 'Load 3D & Animation', 'Load 3D (Advanced)', 'Load Checkpoint · ckpt_name'],
	...['Load Video (Path)', 'LoadImage //Inspire', 'LoraExtractKJ', 'ModelSaveKJ', 'Power Lora Loader', 'Preview Any', 'Preview Image'],
	...['Replace Text', 'Save Image', 'SaveImageKJ', 'SaveImageWebsocket', 'SaveImageWithAlpha', 'SaveStringKJ', 'Use Everywhere'],
	...[
		'Video Combine',
		'Load Image',
		'Load Image (start image)',
		'Load Video',
		'Load Audio',
		'Save Video',
		'Save Audio',
		'Preview as Text',
		'control after generate',
	],
];

/** Terms and fields of items. */
const TERMS = ['ComfyUI', 'ComfyUI workflow', 'n8n workflow', 'hosted service', 'node type', 'node · input', 'pool', 'not_delivered'];

const named = new Set([...known, ...OF_N8N, ...OF_OTHERS, ...TERMS]);

interface Example {
	nodes: Array<{ name: string; parameters: object }>;
}

/** The names of the nodes of all examples, and of their tools. */
const inExamples = readdirSync(join(root, 'examples'))
	.filter((file) => file.endsWith('.json'))
	.flatMap((file) => (JSON.parse(readFileSync(join(root, 'examples', file), 'utf8')) as Example).nodes)
	.flatMap(({ name, parameters }) => [name, ...('toolName' in parameters ? [String(parameters.toolName)] : [])]);

const pages = execFileSync('git', ['ls-files', 'README.md', 'docs', 'examples/README.md'], { cwd: root, encoding: 'utf8' })
	.trim()
	.split('\n')
	.filter((file) => file.endsWith('.md') && !file.startsWith('docs/development/'));

const namesIn = (text: string): string[] =>
	[...text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '').matchAll(/(?<![*\w\\])\*([^*\n]+)\*(?![*\w])/g)].flatMap(([, names = '']) =>
		names.split(/ > |: /),
	);

it.each(pages)('each name in italics in %s is shown by a node, n8n or ComfyUI', (file) => {
	const ofExamples = /recipes|examples/.test(file) ? inExamples : [];
	const names = namesIn(readFileSync(join(root, file), 'utf8'));
	expect(names.filter((name) => !named.has(name) && !ofExamples.includes(name))).toEqual([]);
});

it('has no name of n8n or of others that no page uses', () => {
	const used = new Set(pages.flatMap((file) => namesIn(readFileSync(join(root, file), 'utf8'))));
	expect([...OF_N8N, ...OF_OTHERS, ...TERMS].filter((name) => !used.has(name))).toEqual([]);
});
