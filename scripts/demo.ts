/**
 * `npm run demo` generates two images from one prompt in a real n8n, against the sandbox. It needs no account. `-- --keep` leaves
 * the editor open. `-- --keep --recipe NAME` opens this example instead of running the first one.
 */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type Sandbox, startSandbox } from '../sandbox';
import { joinImages, DemoFailure, findNodeName, runStep, printSteps, differingShare } from './demo/steps';
import { untilInterrupted } from './n8nHost/processes';
import { importCredentials, importWorkflow, type Item, itemsOf, readExample, type SavedCredential } from './n8nHost/documents';
import { OWNER } from './n8nHost/rest';
import { type RunningN8n, startN8n } from './n8nHost/startN8n';
import { ensureHost, installPackage, packPackage } from './n8nHost/install';
import { host, projectRoot } from './n8nHost/environment';
import { sandboxCredentials } from './sandboxCredentials';

const interrupted = untilInterrupted();

const FIRST_IMAGE = 'first-picture';
const KEEP_OPEN_COMMAND = 'npm run demo -- --keep';
const INSPECT_ADVICE = `To see the execution in the editor, run: ${KEEP_OPEN_COMMAND}`;
const outputFolder = join(projectRoot, 'demo-output');
const startedAt = Date.now();
const seconds = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
const say = (label: string, text: string) => console.log(`${label.padEnd(10)}${text}`);

/** Cleanup steps. They run in reverse order, also after a failure or an interruption. */
const undo: Array<() => Promise<unknown>> = [];
async function undoAll(): Promise<void> {
	for (let step = undo.pop(); step; step = undo.pop()) await step().catch((error: unknown) => console.error(error));
}

const INSTALL_ADVICE =
	'Read the messages of pnpm above. If a package failed to build, install python3, make, gcc and g++ (Debian and Ubuntu: apt install python3 make g++). Otherwise, check the connection to the package registry, and that 4 GB of disk space are free. Then run the demo again.';

async function startHost(): Promise<RunningN8n> {
	const installed = await runStep('Installing n8n', INSTALL_ADVICE, ensureHost);
	say('Host', `${host.title}, ${installed ? 'installed' : 'reused'}`);
	const folder = await mkdtemp(join(tmpdir(), 'comfy-demo-'));
	undo.push(() => rm(folder, { recursive: true, force: true }));
	const userFolder = join(folder, 'user');
	await mkdir(userFolder);

	await runStep('Packing the package', 'Fix the errors that the compiler reports. To see them again, run `npm run build`.', async () => {
		await installPackage(userFolder, await packPackage(folder));
	});
	say('Package', 'built, packed, and installed like any community node');
	const n8n = await runStep('Starting n8n', 'Read the log of n8n above, then run the demo again.', () => startN8n({ userFolder }));
	undo.push(n8n.stop);
	say('n8n', `${n8n.url}, ready at ${seconds()}`);
	return n8n;
}

/** Returns the inputs and the file of one item of *First Image*. */
async function readImage(n8n: RunningN8n, sandbox: Sandbox, { json, binary }: Item) {
	const file = binary?.data;
	if (!file?.id) throw new DemoFailure('Comfy Run Workflow returned no file', INSPECT_ADVICE);
	const graph = sandbox.job(String(json.job_id))?.graph;
	return {
		prompt: graph?.['6']?.inputs.text,
		seed: graph?.['3']?.inputs.seed,
		name: String(json.file_name),
		png: await n8n.rest.binary(file.id),
	};
}

async function save(name: string, image: Buffer): Promise<void> {
	await mkdir(outputFolder, { recursive: true });
	const path = join(outputFolder, name);
	await writeFile(path, image);
	say('Saved', relative(process.cwd(), path));
}

async function runFirstImage(n8n: RunningN8n, sandbox: Sandbox, credentials: SavedCredential[]): Promise<void> {
	const workflow = await importWorkflow(n8n.rest, await readExample(FIRST_IMAGE), credentials);
	say('Workflow', `"${workflow.name}"`);
	const execution = await n8n.rest.waitFor(await n8n.rest.run(workflow, findNodeName(workflow, 'n8n-nodes-base.manualTrigger')));
	printSteps(workflow, execution);

	const items = itemsOf(execution, findNodeName(workflow, 'n8n-nodes-comfy.comfyRunWorkflow'));
	const [one, other] = await Promise.all(items.map((item) => readImage(n8n, sandbox, item)));
	if (!one || !other) throw new DemoFailure(`The example returned ${items.length} items instead of two`, INSPECT_ADVICE);
	for (const { prompt, seed, name, png } of [one, other]) {
		say('Image', `"${String(prompt)}", seed ${String(seed)}`);
		await save(name, png);
	}
	const differing = await differingShare(one.png, other.png);
	if (one.prompt !== other.prompt || one.seed === other.seed || differing === 0)
		throw new DemoFailure('The two images do not have one prompt and two seeds', INSPECT_ADVICE);
	say('Checked', `one prompt, two seeds: ${Math.round(differing * 100)}% of the pixels differ`);
	await save('first-image.png', await joinImages([one.png, other.png]));
	say('', join(outputFolder, 'first-image.png'));
}

const examples = readdirSync(join(projectRoot, 'examples')).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? []);
const pageOf = (name: string): string => `docs/recipes/${name}.md`;
const isRecipe = (name: string): boolean => existsSync(join(projectRoot, pageOf(name)));

/** Imports the other examples, so that you can open them in the editor. It publishes none of them. */
async function importOthers(n8n: RunningN8n, credentials: SavedCredential[], without: string): Promise<void> {
	for (const name of examples) {
		if (name !== without) await importWorkflow(n8n.rest, await readExample(name), credentials);
	}
}

/** Imports the recipe, and prints its page and the address of its workflow in the editor. */
async function openRecipe(n8n: RunningN8n, credentials: SavedCredential[], recipe: string): Promise<void> {
	const { id, name } = await importWorkflow(n8n.rest, await readExample(recipe), credentials);
	say('Recipe', `"${name}"`);
	say('Page', isRecipe(recipe) ? pageOf(recipe) : 'examples/README.md');
	say('Open', `${n8n.url}/workflow/${id}`);
}

/** Prints what you need to sign in or to create a credential. All of it is deleted when the demo ends. */
function printAccess({ url }: RunningN8n, { urls, keys }: Sandbox): void {
	say('Editor', url);
	say('Login', `${OWNER.email}, password ${OWNER.password}`);
	say('API key', `${keys.apiKey}, Base URL ${urls.hosted}`);
	say('Or', `Self-Hosted: Address ${urls.engine} (ComfyUI) or ${urls.self_hosted} (API proxy)`);
}

/** Whether the demo has finished. Then, Ctrl-C is not a failure. */
let finished = false;

async function demo({ keep, recipe }: DemoOptions): Promise<void> {
	const sandbox = await runStep('Starting the sandbox', 'Run the demo again.', () => startSandbox());
	undo.push(() => sandbox.close());
	say('Sandbox', sandbox.urls.hosted);
	const n8n = await startHost();
	const credentials = await importCredentials(n8n.rest, sandboxCredentials(sandbox));

	// n8n lists the newest workflow first. The recipe or *First Image* comes last.
	if (keep) await importOthers(n8n, credentials, recipe ?? FIRST_IMAGE);
	if (recipe === undefined) await runStep('Running the example', INSPECT_ADVICE, () => runFirstImage(n8n, sandbox, credentials));
	else await runStep('Importing the recipe', 'Run the demo again.', () => openRecipe(n8n, credentials, recipe));
	say('Total', seconds());
	console.log();
	printAccess(n8n, sandbox);

	if (!keep) {
		console.log(`\nThe demo stops n8n and the sandbox now. To keep the editor open, run: ${KEEP_OPEN_COMMAND}`);
		return;
	}
	finished = true;
	const first = recipe === undefined ? '"First Image"' : 'The recipe';
	console.log(`\nThe editor stays open. ${first} is the first workflow in the list. To stop, press Ctrl-C.`);
	await interrupted;
}

interface DemoOptions {
	/** Whether n8n stays open. */
	keep: boolean;
	/** Name of the example that comes first in the list of workflows. */
	recipe: string | undefined;
}

/** Ends the process before anything starts if an option is wrong. `--recipe` keeps n8n open, with and without `--keep`. */
function readOptionsOrExit(): DemoOptions {
	try {
		const options = { keep: { type: 'boolean', default: false }, recipe: { type: 'string' } } as const;
		const { keep, recipe } = parseArgs({ options }).values;
		if (recipe === undefined || examples.includes(recipe)) return { keep: keep || recipe !== undefined, recipe };
		throw new Error(`There is no recipe or example "${recipe}".`);
	} catch (error) {
		console.error(error instanceof Error ? error.message : String(error));
		console.error('Usage: npm run demo -- [--keep] [--recipe NAME]');
		console.error(`Recipes: ${examples.filter(isRecipe).join(', ')}`);
		console.error(`Other examples: ${examples.filter((name) => !isRecipe(name)).join(', ')}`);
		process.exit(1);
	}
}

function report(error: unknown): number {
	console.error(`\n${error instanceof Error ? error.message : String(error)}`);
	console.error(error instanceof DemoFailure ? error.advice : 'Run the demo again. If it fails again, report the output above.');
	return 1;
}

const INTERRUPTED_EXIT_CODE = 130;

const ended = demo(readOptionsOrExit()).then(() => 0, report);
const stopped = interrupted.then(() => (finished ? 0 : INTERRUPTED_EXIT_CODE));
void Promise.race([ended, stopped]).then(async (exitCode) => {
	await undoAll();
	process.exit(exitCode);
});
