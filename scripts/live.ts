/** `npm run live`: checks the client against a real ComfyUI and its API proxy. It needs no model, no account and no n8n. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { checkErrors } from './live/checks/errors';
import { checkFiles } from './live/checks/files';
import { checkFileInputs, checkInputs } from './live/checks/inputs';
import { checkJob } from './live/checks/job';
import { checkLibrary } from './live/checks/library';
import { checkOutages } from './live/checks/outages';
import { checkQueue } from './live/checks/queue';
import { checkServer } from './live/checks/server';
import { ComfyProcess } from './live/comfyProcess';
import { findEngine, findProxy } from './live/find';
import { type CommandLine, readCommandLine, USAGE } from './live/options';
import { Report } from './live/report';
import type { Stage } from './live/stage';
import { wordsOf } from './live/words';
import { projectRoot } from './n8nHost/paths';

const EXIT_FAILED = 1;
const EXIT_BAD_USAGE = 2;
/** For whatever ignores the signal. */
const GRACE_MS = 15_000;

const PROXY_CHECKS = [checkFiles, checkJob, checkQueue, checkErrors, checkFileInputs];
const ENGINE_CHECKS = [...PROXY_CHECKS, checkServer, checkInputs, checkLibrary];

async function live(commandLine: CommandLine): Promise<number> {
	const startedAt = Date.now();
	const { url, start, seconds } = commandLine;
	const signal = AbortSignal.timeout(seconds * 1000);
	const comfy = start === undefined ? undefined : new ComfyProcess(start, url, signal);
	endWith(comfy, seconds * 1000 + GRACE_MS);
	const report = new Report((line) => console.log(line), wordsOf);
	try {
		if (comfy !== undefined) {
			const isStarted = await report.check('Start ComfyUI', async () => {
				await comfy.start();
				return { said: `it answers after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`, value: true };
			});
			if (isStarted === undefined) return EXIT_FAILED;
		}
		await runChecks(commandLine, comfy, report, signal);
	} finally {
		await comfy?.stop();
	}
	const { held, failed, notShown } = report;
	console.log(
		`\n${held} held, ${failed} failed${notShown > 0 ? `, ${notShown} not shown` : ''}, in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`,
	);
	return failed === 0 ? 0 : EXIT_FAILED;
}

async function runChecks(commandLine: CommandLine, comfy: ComfyProcess | undefined, report: Report, signal: AbortSignal): Promise<void> {
	const { url, authorization, proxy, keep, waitForServerSeconds } = commandLine;
	const run = randomBytes(4).toString('hex');
	const keepIn = keep ? join(projectRoot, 'demo-output', `live-${run}`) : undefined;
	const folder = `n8n-nodes-comfy-live/${run}`;
	const shared = { url, authorization, signal, keepIn };
	const runStage = async (stage: Stage, checks: typeof PROXY_CHECKS): Promise<void> => {
		for (const check of checks) await check(stage, report);
		await checkOutages(stage, { comfy, waitForServerMs: waitForServerSeconds * 1000 }, report);
		await Promise.all([stage.connection.close(), stage.stranger.close()]);
	};

	console.log(`ComfyUI at ${withoutPassword(url)}\n`);
	const engine = await findEngine(commandLine, report, signal);
	if (engine === undefined) return;
	await runStage({ ...engine, ...shared, folder, inputFolder: folder }, ENGINE_CHECKS);

	if (proxy !== undefined) {
		console.log(`\nAPI proxy at ${withoutPassword(proxy)}\n`);
		const found = await findProxy(proxy, commandLine, report, signal);
		// The API proxy takes files below `input/` only.
		if (found !== undefined)
			await runStage({ ...found, ...shared, folder: `${folder}/proxy`, inputFolder: `input/${folder}` }, PROXY_CHECKS);
	}
	console.log(`\nComfyUI cannot delete files: a few small pictures are left in ${folder} of its input and output folders.`);
	if (keepIn !== undefined) console.log(`Downloaded pictures are in ${keepIn}.`);
}

/** Ends the ComfyUI that was started here with this process, however that ends. */
function endWith(comfy: ComfyProcess | undefined, afterMs: number): void {
	process.once('exit', () => comfy?.kill());
	for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(EXIT_FAILED));
	setTimeout(giveUp, afterMs).unref();
}

function giveUp(): void {
	console.error('\nThe time was over, and something did not end.');
	process.exit(EXIT_FAILED);
}

const withoutPassword = (url: string): string => url.replace(/\/\/[^/@]*@/, '//');

function main(): void {
	let commandLine: CommandLine | undefined;
	try {
		commandLine = readCommandLine(process.argv.slice(2));
	} catch (error) {
		console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
		process.exitCode = EXIT_BAD_USAGE;
		return;
	}
	if (commandLine === undefined) console.log(USAGE);
	else void live(commandLine).then((exitCode) => process.exit(exitCode));
}

main();
