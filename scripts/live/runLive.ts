/** All checks of one command line, and what they print. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { projectRoot } from '../n8nHost/paths';
import { checkErrors } from './checks/errors';
import { checkFiles } from './checks/files';
import { checkFileInputs, checkInputs } from './checks/inputs';
import { checkJob } from './checks/job';
import { checkLibrary } from './checks/library';
import { checkOutages } from './checks/outages';
import { checkQueue, checkServer } from './checks/queue';
import { ComfyProcess } from './comfyProcess';
import { findEngine, findProxy, type Stage } from './stage';
import { Report, wordsOf } from './report';

const SECONDS = 300;
const SECONDS_WITH_OUTAGES = 600;
const WAIT_FOR_SERVER_SECONDS = 60;

export const USAGE = `Usage: npm run live -- --url http://host:8188 [--proxy http://host:8189] [--start "command"] [other options]
  --url ADDRESS           of ComfyUI itself, with the path under which a reverse proxy shows it
  --authorization HEADER  the whole Authorization header, if a reverse proxy in front of ComfyUI asks for one
  --proxy ADDRESS         of the API proxy in front of this ComfyUI: the checks run through it as well
  --token TOKEN           the token of the API proxy, if it was started with one
  --start COMMAND         starts the ComfyUI at --url, which must not run yet. It is switched off and restarted
                          during the checks, its queue is cleared, and it is ended with them
  --wait-for-server N     seconds within which a ComfyUI that is switched off must be reported (${WAIT_FOR_SERVER_SECONDS})
  --seconds N             seconds that all checks may take together (${SECONDS}, with --start ${SECONDS_WITH_OUTAGES})
  --keep                  save the pictures that were downloaded under demo-output/
  --help                  print this`;

export interface CommandLine {
	url: string;
	authorization: string | undefined;
	proxy: string | undefined;
	token: string | undefined;
	start: string | undefined;
	waitForServerSeconds: number;
	seconds: number;
	keep: boolean;
}

/** @returns undefined where only help is wanted. @throws Error with a message for people. */
export function readCommandLine(args: string[]): CommandLine | undefined {
	const { values } = parseArgs({
		args,
		options: {
			url: { type: 'string' },
			authorization: { type: 'string' },
			proxy: { type: 'string' },
			token: { type: 'string' },
			start: { type: 'string' },
			'wait-for-server': { type: 'string', default: String(WAIT_FOR_SERVER_SECONDS) },
			seconds: { type: 'string' },
			keep: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	const { url, authorization, proxy, token, start, keep } = values;
	if (url === undefined) throw new Error('--url is missing: say where ComfyUI is');
	if (token !== undefined && proxy === undefined) throw new Error('--token needs --proxy: it is the token of the API proxy');
	return {
		url,
		authorization,
		proxy,
		token,
		start,
		keep,
		waitForServerSeconds: readSeconds('--wait-for-server', values['wait-for-server']),
		seconds: readSeconds('--seconds', values.seconds ?? String(start === undefined ? SECONDS : SECONDS_WITH_OUTAGES)),
	};
}

function readSeconds(option: string, text: string): number {
	const seconds = /^\d+$/.test(text) ? Number(text) : 0;
	if (seconds >= 1 && seconds <= 86_400) return seconds;
	throw new Error(`${option} must be a number from 1 to 86400, not ${JSON.stringify(text)}`);
}

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
