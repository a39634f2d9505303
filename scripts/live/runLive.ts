/** All checks of one command line, and what they print. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { projectRoot } from '../n8nHost/paths';
import { checkErrors } from './checks/errors';
import { checkFiles } from './checks/files';
import { checkFileInputs, checkInputs } from './checks/inputs';
import { checkJob } from './checks/job';
import { checkLibrary } from './checks/library';
import { checkOutages } from './checks/outages';
import { checkQueue } from './checks/queue';
import { checkServer } from './checks/server';
import { ComfyProcess } from './comfyProcess';
import { findEngine, findProxy } from './find';
import type { CommandLine } from './options';
import { Report } from './report';
import type { Stage } from './stage';
import { wordsOf } from './words';

const PROXY_CHECKS = [checkFiles, checkJob, checkQueue, checkErrors, checkFileInputs];
const ENGINE_CHECKS = [...PROXY_CHECKS, checkServer, checkInputs, checkLibrary];

const CANCEL_ATTEMPTS = 3;

export interface LiveOptions {
	print: (line: string) => void;
	/** @see Stage */
	cancelAttempts?: number;
}

/** @returns whether all checks held that could be shown. */
export async function runLive(commandLine: CommandLine, options: LiveOptions): Promise<boolean> {
	const { print } = options;
	const startedAt = Date.now();
	const { url, start, seconds } = commandLine;
	const signal = AbortSignal.timeout(seconds * 1000);
	const comfy = start === undefined ? undefined : new ComfyProcess(start, url, signal);
	const endWithProcess = (): void => comfy?.kill();
	process.once('exit', endWithProcess);
	const report = new Report(print, wordsOf);
	try {
		if (comfy !== undefined) {
			const isStarted = await report.check('Start ComfyUI', async () => {
				await comfy.start();
				return { said: `it answers after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`, value: true };
			});
			if (isStarted === undefined) return false;
		}
		await runChecks(commandLine, comfy, report, signal, options);
	} finally {
		await comfy?.stop();
		process.removeListener('exit', endWithProcess);
	}
	const { held, failed, notShown } = report;
	print(
		`\n${held} held, ${failed} failed${notShown > 0 ? `, ${notShown} not shown` : ''}, in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`,
	);
	return failed === 0;
}

async function runChecks(
	commandLine: CommandLine,
	comfy: ComfyProcess | undefined,
	report: Report,
	signal: AbortSignal,
	{ print, cancelAttempts = CANCEL_ATTEMPTS }: LiveOptions,
): Promise<void> {
	const { url, authorization, proxy, keep, waitForServerSeconds } = commandLine;
	const run = randomBytes(4).toString('hex');
	const keepIn = keep ? join(projectRoot, 'demo-output', `live-${run}`) : undefined;
	const folder = `n8n-nodes-comfy-live/${run}`;
	const shared = { url, authorization, signal, keepIn, cancelAttempts };
	const runStage = async (stage: Stage, checks: typeof PROXY_CHECKS): Promise<void> => {
		for (const check of checks) await check(stage, report);
		await checkOutages(stage, { comfy, waitForServerMs: waitForServerSeconds * 1000 }, report);
		await Promise.all([stage.connection.close(), stage.stranger.close()]);
	};

	print(`ComfyUI at ${withoutPassword(url)}\n`);
	const engine = await findEngine(commandLine, report, signal);
	if (engine === undefined) return;
	await runStage({ ...engine, ...shared, folder, inputFolder: folder }, ENGINE_CHECKS);

	if (proxy !== undefined) {
		print(`\nAPI proxy at ${withoutPassword(proxy)}\n`);
		const found = await findProxy(proxy, commandLine, report, signal);
		// The API proxy takes files below `input/` only.
		if (found !== undefined)
			await runStage({ ...found, ...shared, folder: `${folder}/proxy`, inputFolder: `input/${folder}` }, PROXY_CHECKS);
	}
	print(`\nComfyUI cannot delete files: a few small pictures are left in ${folder} of its input and output folders.`);
	if (keepIn !== undefined) print(`Downloaded pictures are in ${keepIn}.`);
}

const withoutPassword = (url: string): string => url.replace(/\/\/[^/@]*@/, '//');
