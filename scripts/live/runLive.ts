/** All checks of one command line, and what they print. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { checkErrors, checkJob } from './checks/jobs';
import { checkFiles, checkLibrary } from './checks/files';
import { checkLiveNodes } from './checks/liveNodes';
import { checkOutputs } from './checks/outputs';
import { checkOutages, type Outages } from './checks/outages';
import { checkPool } from './checks/pool';
import { checkPoolOutages } from './checks/poolOutages';
import { checkQueue } from './checks/queue';
import { checkServer } from './checks/server';
import { ComfyProcess } from './comfyProcess';
import { closeStage, openStage } from './poolStage';
import { findStage, Report, type Stage } from './stage';

const SECONDS = 300;
const SECONDS_WITH_OUTAGES = 600;
/** In addition, for several servers. */
const SECONDS_FOR_POOL = 300;
/** Within which a ComfyUI that is switched off must be reported. */
const WAIT_FOR_SERVER_MS = 60_000;

export const USAGE = `Usage: npm run live -- --url http://host:8188 [--proxy http://host:8189] [--start "command"] [other options]
  --url ADDRESS           of ComfyUI itself, with the path under which a reverse proxy shows it. Repeat it for several
                          ComfyUIs: after the checks of the first one, jobs are divided among all of them
  --authorization HEADER  the whole Authorization header, if a reverse proxy in front of ComfyUI asks for one
  --user ID               the id of a user, if ComfyUI was started with --multi-user
  --output FOLDER         the output folder of the ComfyUI at --url, if it is on this computer. A file is deleted there
  --proxy ADDRESS         of the API proxy in front of this ComfyUI: the checks run through it as well
  --token TOKEN           the token of the API proxy, if it was started with one
  --start COMMAND         starts the ComfyUI at --url, which must not run yet. It is switched off, restarted, killed
                          and suspended during the checks, its queue is cleared, and it is ended with them. Repeat
                          it for several ComfyUIs, in the order of --url: the last one is killed during its jobs
  --seconds N             seconds that all checks may take together (${SECONDS}, with --start ${SECONDS_WITH_OUTAGES},
                          with several ComfyUIs ${SECONDS_FOR_POOL} more)
  --help                  print this`;

export interface CommandLine {
	/** The first one is checked alone, and all of them as a pool. */
	urls: [string, ...string[]];
	authorization: string | undefined;
	user: string | undefined;
	output: string | undefined;
	proxy: string | undefined;
	token: string | undefined;
	/** The commands of the first servers. */
	starts: string[];
	seconds: number;
}

/** @returns undefined where only help is wanted. @throws Error with a message for people. */
export function readCommandLine(args: string[]): CommandLine | undefined {
	const { values } = parseArgs({
		args,
		options: {
			url: { type: 'string', multiple: true, default: [] },
			authorization: { type: 'string' },
			user: { type: 'string' },
			output: { type: 'string' },
			proxy: { type: 'string' },
			token: { type: 'string' },
			start: { type: 'string', multiple: true, default: [] },
			seconds: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	const { authorization, user, output, proxy, token, start: starts } = values;
	const [url, ...more] = values.url;
	if (url === undefined) throw new Error('--url is missing: say where ComfyUI is');
	if (starts.length > values.url.length)
		throw new Error('There are more --start than --url. Each command starts the ComfyUI at one address');
	if (token !== undefined && proxy === undefined) throw new Error('--token needs --proxy: it is the token of the API proxy');
	const defaultSeconds = (starts.length === 0 ? SECONDS : SECONDS_WITH_OUTAGES) + (more.length === 0 ? 0 : SECONDS_FOR_POOL);
	const seconds = Number(values.seconds ?? defaultSeconds);
	if (!Number.isInteger(seconds) || seconds < 1 || seconds > 86_400)
		throw new Error(`--seconds must be a number from 1 to 86400, not ${JSON.stringify(values.seconds)}`);
	return { urls: [url, ...more], authorization, user, output, proxy, token, starts, seconds };
}

const PROXY_CHECKS = [checkFiles, checkJob, checkQueue, checkErrors];

type Print = (line: string) => void;

/** @returns whether all checks held that could be shown. */
export async function runLive(commandLine: CommandLine, print: Print, waitForServerMs = WAIT_FOR_SERVER_MS): Promise<boolean> {
	const startedAt = Date.now();
	const { urls, starts, seconds } = commandLine;
	const signal = AbortSignal.timeout(seconds * 1000);
	const processes = starts.map((command, index) => new ComfyProcess(command, urls[index] ?? '', signal));
	const endWithProcess = (): void => processes.forEach((comfy) => comfy.kill());
	process.once('exit', endWithProcess);
	const report = new Report(print);
	try {
		for (const comfy of processes) {
			const isStarted = await report.check('Start ComfyUI', async () => {
				const begunAt = Date.now();
				await comfy.start();
				return { said: `it answers after ${((Date.now() - begunAt) / 1000).toFixed(1)} s`, value: true };
			});
			if (isStarted === undefined) return false;
		}
		await runChecks(commandLine, { comfy: processes[0], waitForServerMs }, report, signal, print);
		if (urls.length > 1) await runPoolChecks(commandLine, processes, report, signal, print);
	} finally {
		await Promise.all(processes.map(async (comfy) => await comfy.stop()));
		process.removeListener('exit', endWithProcess);
	}
	const { held, failed, notShown } = report;
	print(
		`\n${held} held, ${failed} failed${notShown > 0 ? `, ${notShown} not shown` : ''}, in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`,
	);
	return failed === 0;
}

async function runChecks(commandLine: CommandLine, outages: Outages, report: Report, signal: AbortSignal, print: Print): Promise<void> {
	const { urls, authorization, output: outputFolder, proxy, token } = commandLine;
	const [url] = urls;
	const headers = headersOf(commandLine);
	const folder = newFolder();
	const runStage = async (stage: Stage, checks: typeof PROXY_CHECKS): Promise<void> => {
		for (const check of checks) await check(stage, report);
		await checkOutages(stage, outages, report);
		await Promise.all([stage.connection.close(), stage.stranger.close()]);
	};

	print(`ComfyUI at ${withoutPassword(url)}\n`);
	const engine = await findStage({ interface: 'engine', baseUrl: url, authorization, headers }, report, signal);
	if (engine === undefined) return;
	const shared = { url, headers: { ...headers, ...(authorization !== undefined && { authorization }) }, signal };
	await runStage({ ...engine, ...shared, folder, inputFolder: folder, outputFolder }, [
		...PROXY_CHECKS,
		checkOutputs,
		checkLiveNodes,
		checkLibrary,
		checkServer,
	]);

	if (proxy !== undefined) {
		print(`\nAPI proxy at ${withoutPassword(proxy)}\n`);
		const found = await findStage({ interface: 'v2', baseUrl: proxy, token }, report, signal);
		// The API proxy takes files below `input/` only.
		if (found !== undefined)
			await runStage({ ...found, ...shared, folder: `${folder}/proxy`, inputFolder: `input/${folder}` }, PROXY_CHECKS);
	}
	printLeftFiles(folder, print);
}

async function runPoolChecks(
	commandLine: CommandLine,
	processes: readonly ComfyProcess[],
	report: Report,
	signal: AbortSignal,
	print: Print,
): Promise<void> {
	const { urls, authorization } = commandLine;
	const folder = newFolder();
	print(`\nAll of ${urls.map(withoutPassword).join(', ')}\n`);
	const access = { authorization, headers: headersOf(commandLine), engineUrl: '', wanted: 'engine' } as const;
	const stage = openStage({ servers: urls.map((baseUrl) => ({ ...access, baseUrl })), folder, signal });
	try {
		const isReached = await checkPool(stage, report);
		const last = processes.at(-1);
		if (isReached) await checkPoolOutages(stage, last && { process: last, index: processes.length - 1 }, report);
	} finally {
		await closeStage(stage);
	}
	printLeftFiles(folder, print);
}

const headersOf = ({ user }: CommandLine) => (user === undefined ? undefined : { 'comfy-user': user });

const newFolder = (): string => `n8n-nodes-comfy-live/${randomBytes(4).toString('hex')}`;

function printLeftFiles(folder: string, print: Print): void {
	print(`\nComfyUI cannot delete files: a few small pictures are left in ${folder} of its input and output folders.`);
}

const withoutPassword = (url: string): string => url.replace(/\/\/[^/@]*@/, '//');
