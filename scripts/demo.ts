/** `npm run demo`: one picture through a real n8n, against the sandbox; no account needed. `-- --keep` leaves the editor open. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type Sandbox, startSandbox } from '../sandbox';
import { DemoFailure, part } from './demo/failure';
import { interrupted } from './demo/interruption';
import { checkInverted, randomPicture, withPicture } from './demo/picture';
import { nodeNamed, printSteps } from './demo/steps';
import * as host from './n8nHost';
import { sandboxCredentials } from './sandboxCredentials';

const outputFolder = join(host.projectRoot, 'demo-output');
const startedAt = Date.now();
const seconds = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
const say = (label: string, text: string) => console.log(`${label.padEnd(10)}${text}`);

/** Undone in reverse order, also when something fails or the demo is interrupted. */
const undo: Array<() => Promise<unknown>> = [];
async function undoAll(): Promise<void> {
	for (let step = undo.pop(); step; step = undo.pop()) await step().catch((error: unknown) => console.error(error));
}

const installAdvice = (error: unknown): string =>
	error instanceof host.BuildFailed
		? 'No prebuilt file of it is to be had here, so it is compiled: install python3, make and gcc with g++ (Debian and Ubuntu: apt install python3 make g++), then run the demo again.'
		: 'Check that the package registry can be reached and 4 GB are free, then run the demo again.';

async function startHost(): Promise<host.RunningN8n> {
	const installed = await part('Installing n8n', installAdvice, host.ensureHost);
	say('Host', `n8n 2.40.7 on Node 24, ${installed ? 'installed' : 'reused'}`);
	const folder = await mkdtemp(join(tmpdir(), 'comfy-demo-'));
	undo.push(() => rm(folder, { recursive: true, force: true }));
	const userFolder = join(folder, 'user');
	await mkdir(userFolder);

	await part('Packing the package', 'Mend what the compiler says; `npm run build` shows it again.', async () => {
		await host.installPackage(userFolder, await host.packPackage(folder));
	});
	say('Package', 'built, packed, and installed as n8n installs it');
	const n8n = await part('Starting n8n', 'Run the demo again; its log is shown above.', () => host.startN8n({ userFolder }));
	undo.push(n8n.stop);
	say('n8n', `${n8n.url}, ready at ${seconds()}`);
	return n8n;
}

async function runFirstPicture(n8n: host.RunningN8n, credentials: host.SavedCredential[]): Promise<void> {
	const picture = await randomPicture();
	say('Picture', `${picture.size}, drawn at random for this run`);
	const example = withPicture(await host.readExample('first-picture'), picture.png);
	const workflow = await host.importWorkflow(n8n.rest, example, credentials);
	say('Workflow', `"${workflow.name}"`);

	const execution = await n8n.rest.waitFor(await n8n.rest.run(workflow, nodeNamed(workflow, 'n8n-nodes-base.manualTrigger')));
	printSteps(workflow, execution);

	const [item] = host.itemsOf(execution, nodeNamed(workflow, 'n8n-nodes-comfy.comfyDownloadOutputs'));
	const file = item?.binary?.data;
	if (!file?.id) throw new DemoFailure('The download node gave no file', 'Look at the execution in the editor: npm run demo -- --keep');
	const saved = await n8n.rest.binary(file.id);
	await mkdir(outputFolder, { recursive: true });
	const path = join(outputFolder, 'first-picture.png');
	await writeFile(path, saved);
	say('Saved', relative(process.cwd(), path));
	say('', path);
	say('Checked', `all ${await checkInverted(picture.png, saved)} pixels are the input's, inverted`);
}

/** Beside the one that is run, for whoever looks around in the editor; none is published. */
const OTHER_EXAMPLES = ['bare-comfyui', 'nightly-picture', 'mask-inputs', 'progress-to-webhook', 'queue-janitor', 'router-image', 'router-batch-with-budget'];

/** What somebody needs who makes a credential by hand; all of it is gone with the sandbox. */
const forOwnCredentials = ({ urls, keys }: Sandbox): string =>
	[`Comfy API               Base URL ${urls.hosted}, API Key ${keys.apiKey}`, `Comfy Self-Hosted API   Address ${urls.engine} (ComfyUI) or ${urls.self_hosted} (API proxy)`].join('\n');

/** The demo has shown everything; ending it is then no failure. */
let shown = false;

async function demo(keep: boolean): Promise<void> {
	const sandbox = await part('Starting the sandbox', 'Run the demo again.', () => startSandbox());
	undo.push(() => sandbox.close());
	say('Sandbox', sandbox.urls.hosted);
	const n8n = await startHost();
	const credentials = await host.importCredentials(n8n.rest, sandboxCredentials(sandbox));

	// Before the one that is run: n8n lists the newest first.
	if (keep) for (const name of OTHER_EXAMPLES) await host.importWorkflow(n8n.rest, await host.readExample(name), credentials);
	await part('Running the example', 'Look at the execution in the editor: npm run demo -- --keep', () => runFirstPicture(n8n, credentials));
	say('Total', seconds());

	if (!keep) return;
	shown = true;
	console.log(`\nThe editor stays open at ${n8n.url}\nLogin      ${host.OWNER.email}\nPassword   ${host.OWNER.password}\n${forOwnCredentials(sandbox)}\nPress Ctrl-C to end it.`);
	await interrupted;
}

function report(error: unknown): number {
	console.error(`\n${error instanceof Error ? error.message : String(error)}`);
	console.error(error instanceof DemoFailure ? error.advice : 'Run the demo again; if it happens again, report it with what is printed above.');
	return 1;
}

const INTERRUPTED_EXIT_CODE = 130;

const ended = demo(process.argv.includes('--keep')).then(() => 0, report);
const stopped = interrupted.then(() => (shown ? 0 : INTERRUPTED_EXIT_CODE));
void Promise.race([ended, stopped]).then(async (exitCode) => {
	await undoAll();
	process.exit(exitCode);
});
