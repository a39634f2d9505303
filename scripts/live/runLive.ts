/** All checks of one command line, and what they print. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { checkErrors, checkJob } from './checks/jobs';
import { checkFiles, checkLibrary } from './checks/files';
import { checkOutages, type Outages } from './checks/outages';
import { checkQueue } from './checks/queue';
import { checkServer } from './checks/server';
import { ComfyProcess } from './comfyProcess';
import { findStage, Report, type Stage } from './stage';

const SECONDS = 300;
const SECONDS_WITH_OUTAGES = 600;
/** Within which a ComfyUI that is switched off must be reported. */
const WAIT_FOR_SERVER_MS = 60_000;

export const USAGE = `Usage: npm run live -- --url http://host:8188 [--proxy http://host:8189] [--start "command"] [other options]
  --url ADDRESS           of ComfyUI itself, with the path under which a reverse proxy shows it
  --authorization HEADER  the whole Authorization header, if a reverse proxy in front of ComfyUI asks for one
  --user ID               the id of a user, if ComfyUI was started with --multi-user
  --proxy ADDRESS         of the API proxy in front of this ComfyUI: the checks run through it as well
  --token TOKEN           the token of the API proxy, if it was started with one
  --start COMMAND         starts the ComfyUI at --url, which must not run yet. It is switched off and restarted
                          during the checks, its queue is cleared, and it is ended with them
  --seconds N             seconds that all checks may take together (${SECONDS}, with --start ${SECONDS_WITH_OUTAGES})
  --help                  print this`;

export interface CommandLine {
	url: string;
	authorization: string | undefined;
	user: string | undefined;
	proxy: string | undefined;
	token: string | undefined;
	start: string | undefined;
	seconds: number;
}

/** @returns undefined where only help is wanted. @throws Error with a message for people. */
export function readCommandLine(args: string[]): CommandLine | undefined {
	const { values } = parseArgs({
		args,
		options: {
			url: { type: 'string' },
			authorization: { type: 'string' },
			user: { type: 'string' },
			proxy: { type: 'string' },
			token: { type: 'string' },
			start: { type: 'string' },
			seconds: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	const { url, authorization, user, proxy, token, start } = values;
	if (url === undefined) throw new Error('--url is missing: say where ComfyUI is');
	if (token !== undefined && proxy === undefined) throw new Error('--token needs --proxy: it is the token of the API proxy');
	const seconds = Number(values.seconds ?? (start === undefined ? SECONDS : SECONDS_WITH_OUTAGES));
	if (!Number.isInteger(seconds) || seconds < 1 || seconds > 86_400)
		throw new Error(`--seconds must be a number from 1 to 86400, not ${JSON.stringify(values.seconds)}`);
	return { url, authorization, user, proxy, token, start, seconds };
}

const PROXY_CHECKS = [checkFiles, checkJob, checkQueue, checkErrors];

type Print = (line: string) => void;

/** @returns whether all checks held that could be shown. */
export async function runLive(commandLine: CommandLine, print: Print, waitForServerMs = WAIT_FOR_SERVER_MS): Promise<boolean> {
	const startedAt = Date.now();
	const { url, start, seconds } = commandLine;
	const signal = AbortSignal.timeout(seconds * 1000);
	const comfy = start === undefined ? undefined : new ComfyProcess(start, url, signal);
	const endWithProcess = (): void => comfy?.kill();
	process.once('exit', endWithProcess);
	const report = new Report(print);
	try {
		if (comfy !== undefined) {
			const isStarted = await report.check('Start ComfyUI', async () => {
				await comfy.start();
				return { said: `it answers after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`, value: true };
			});
			if (isStarted === undefined) return false;
		}
		await runChecks(commandLine, { comfy, waitForServerMs }, report, signal, print);
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

async function runChecks(commandLine: CommandLine, outages: Outages, report: Report, signal: AbortSignal, print: Print): Promise<void> {
	const { url, authorization, user, proxy, token } = commandLine;
	const headers = user === undefined ? undefined : { 'comfy-user': user };
	const folder = `n8n-nodes-comfy-live/${randomBytes(4).toString('hex')}`;
	const runStage = async (stage: Stage, checks: typeof PROXY_CHECKS): Promise<void> => {
		for (const check of checks) await check(stage, report);
		await checkOutages(stage, outages, report);
		await Promise.all([stage.connection.close(), stage.stranger.close()]);
	};

	print(`ComfyUI at ${withoutPassword(url)}\n`);
	const engine = await findStage({ interface: 'engine', baseUrl: url, authorization, headers }, report, signal);
	if (engine === undefined) return;
	const shared = { url, headers: { ...headers, ...(authorization !== undefined && { authorization }) }, signal };
	await runStage({ ...engine, ...shared, folder, inputFolder: folder }, [...PROXY_CHECKS, checkLibrary, checkServer]);

	if (proxy !== undefined) {
		print(`\nAPI proxy at ${withoutPassword(proxy)}\n`);
		const found = await findStage({ interface: 'v2', baseUrl: proxy, token }, report, signal);
		// The API proxy takes files below `input/` only.
		if (found !== undefined)
			await runStage({ ...found, ...shared, folder: `${folder}/proxy`, inputFolder: `input/${folder}` }, PROXY_CHECKS);
	}
	print(`\nComfyUI cannot delete files: a few small pictures are left in ${folder} of its input and output folders.`);
}

const withoutPassword = (url: string): string => url.replace(/\/\/[^/@]*@/, '//');
