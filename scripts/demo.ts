/** `npm run demo`: two pictures of the same words through a real n8n, against the sandbox; no account needed. `-- --keep` leaves the editor open. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type Sandbox, startSandbox } from '../sandbox';
import { joinPictures, DemoFailure, findNodeName, runStep, printSteps, differingShare } from './demo/steps';
import { untilInterrupted } from './n8nHost/processes';
import { importCredentials, importWorkflow, type Item, itemsOf, readExample, type SavedCredential } from './n8nHost/documents';
import { OWNER } from './n8nHost/rest';
import { type RunningN8n, startN8n } from './n8nHost/startN8n';
import { ensureHost, installPackage, packPackage } from './n8nHost/install';
import { projectRoot } from './n8nHost/environment';
import { sandboxCredentials } from './sandboxCredentials';

const interrupted = untilInterrupted();

const KEEP_IT_OPEN = 'npm run demo -- --keep';
const LOOK_AT_IT = `Look at the execution in the editor: ${KEEP_IT_OPEN}`;
const outputFolder = join(projectRoot, 'demo-output');
const startedAt = Date.now();
const seconds = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
const say = (label: string, text: string) => console.log(`${label.padEnd(10)}${text}`);

/** Undone in reverse order, also when something fails or the demo is interrupted. */
const undo: Array<() => Promise<unknown>> = [];
async function undoAll(): Promise<void> {
	for (let step = undo.pop(); step; step = undo.pop()) await step().catch((error: unknown) => console.error(error));
}

const INSTALL_ADVICE =
	'Read above what pnpm says. If a package could not be built, install python3, make and gcc with g++ (Debian and Ubuntu: apt install python3 make g++). Otherwise check that the package registry can be reached and 4 GB are free. Then run the demo again.';

async function startHost(): Promise<RunningN8n> {
	const installed = await runStep('Installing n8n', INSTALL_ADVICE, ensureHost);
	say('Host', `n8n 2.40.7 on Node 24, ${installed ? 'installed' : 'reused'}`);
	const folder = await mkdtemp(join(tmpdir(), 'comfy-demo-'));
	undo.push(() => rm(folder, { recursive: true, force: true }));
	const userFolder = join(folder, 'user');
	await mkdir(userFolder);

	await runStep('Packing the package', 'Fix what the compiler reports. `npm run build` shows it again.', async () => {
		await installPackage(userFolder, await packPackage(folder));
	});
	say('Package', 'built, packed, and installed as n8n installs it');
	const n8n = await runStep('Starting n8n', 'Run the demo again; its log is shown above.', () => startN8n({ userFolder }));
	undo.push(n8n.stop);
	say('n8n', `${n8n.url}, ready at ${seconds()}`);
	return n8n;
}

/** What the form of *First Picture* says of one item, and what came of it. */
interface DemoPicture {
	prompt: unknown;
	seed: unknown;
	name: string;
	png: Buffer;
}

async function readPicture(n8n: RunningN8n, sandbox: Sandbox, { json, binary }: Item): Promise<DemoPicture> {
	const file = binary?.data;
	if (!file?.id) throw new DemoFailure('Comfy Run Workflow gave no file', LOOK_AT_IT);
	const graph = sandbox.job(String(json.job_id))?.graph;
	return {
		prompt: graph?.['6']?.inputs.text,
		seed: graph?.['3']?.inputs.seed,
		name: String(json.file_name),
		png: await n8n.rest.binary(file.id),
	};
}

async function save(name: string, picture: Buffer): Promise<void> {
	await mkdir(outputFolder, { recursive: true });
	const path = join(outputFolder, name);
	await writeFile(path, picture);
	say('Saved', relative(process.cwd(), path));
}

async function runFirstPicture(n8n: RunningN8n, sandbox: Sandbox, credentials: SavedCredential[]): Promise<void> {
	const workflow = await importWorkflow(n8n.rest, await readExample('first-picture'), credentials);
	say('Workflow', `"${workflow.name}"`);
	const execution = await n8n.rest.waitFor(await n8n.rest.run(workflow, findNodeName(workflow, 'n8n-nodes-base.manualTrigger')));
	printSteps(workflow, execution);

	const items = itemsOf(execution, findNodeName(workflow, 'n8n-nodes-comfy.comfyRunWorkflow'));
	const [one, other] = await Promise.all(items.map((item) => readPicture(n8n, sandbox, item)));
	if (!one || !other) throw new DemoFailure(`The example gave ${items.length} items, not two`, LOOK_AT_IT);
	for (const { prompt, seed, name, png } of [one, other]) {
		say('Drawn', `"${String(prompt)}", seed ${String(seed)}`);
		await save(name, png);
	}
	const differing = await differingShare(one.png, other.png);
	if (one.prompt !== other.prompt || one.seed === other.seed || differing === 0)
		throw new DemoFailure('The two pictures are not the same words with two seeds', LOOK_AT_IT);
	say('Checked', `the same words, another seed: ${Math.round(differing * 100)} % of the pixels differ`);
	await save('first-picture.png', await joinPictures([one.png, other.png]));
	say('', join(outputFolder, 'first-picture.png'));
}

/** Imports the examples that are not run, for those who look around in the editor; none is published. */
async function importOthers(n8n: RunningN8n, credentials: SavedCredential[]): Promise<void> {
	for (const file of await readdir(join(projectRoot, 'examples'))) {
		if (!file.endsWith('.json') || file === 'first-picture.json') continue;
		await importWorkflow(n8n.rest, await readExample(file.replace('.json', '')), credentials);
	}
}

/** Prints what you need to sign in or to create a credential. All of it is deleted when the demo ends. */
function printAccess({ url }: RunningN8n, { urls, keys }: Sandbox): void {
	say('Editor', url);
	say('Login', `${OWNER.email}, password ${OWNER.password}`);
	say('API key', `${keys.apiKey}, Base URL ${urls.hosted}`);
	say('Or', `Self-Hosted, Address ${urls.engine} (ComfyUI) or ${urls.self_hosted} (API proxy)`);
}

/** The demo has shown everything; ending it is then no failure. */
let shown = false;

async function demo(keep: boolean): Promise<void> {
	const sandbox = await runStep('Starting the sandbox', 'Run the demo again.', () => startSandbox());
	undo.push(() => sandbox.close());
	say('Sandbox', sandbox.urls.hosted);
	const n8n = await startHost();
	const credentials = await importCredentials(n8n.rest, sandboxCredentials(sandbox));

	// Before the one that is run: n8n lists the newest first.
	if (keep) await importOthers(n8n, credentials);
	await runStep('Running the example', LOOK_AT_IT, () => runFirstPicture(n8n, sandbox, credentials));
	say('Total', seconds());
	console.log();
	printAccess(n8n, sandbox);

	if (!keep) {
		console.log(`\nAll of it ends here. To sign in and look around: ${KEEP_IT_OPEN}`);
		return;
	}
	shown = true;
	console.log('\nThe editor stays open: "First Picture" is on top of the list. Press Ctrl-C to end it.');
	await interrupted;
}

function report(error: unknown): number {
	console.error(`\n${error instanceof Error ? error.message : String(error)}`);
	console.error(
		error instanceof DemoFailure ? error.advice : 'Run the demo again; if it happens again, report it with what is printed above.',
	);
	return 1;
}

const INTERRUPTED_EXIT_CODE = 130;

const ended = demo(process.argv.includes('--keep')).then(() => 0, report);
const stopped = interrupted.then(() => (shown ? 0 : INTERRUPTED_EXIT_CODE));
void Promise.race([ended, stopped]).then(async (exitCode) => {
	await undoAll();
	process.exit(exitCode);
});
