/** `npm run live`: what this package asks of a ComfyUI, asked of a real one. It needs no model, no account and no n8n. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { checkFiles } from './live/checks/files';
import { checkInputs } from './live/checks/inputs';
import { checkJob } from './live/checks/job';
import { checkLibrary } from './live/checks/library';
import { checkQueue } from './live/checks/queue';
import { checkRefusals } from './live/checks/refusals';
import { checkServer } from './live/checks/server';
import { findEngine } from './live/find';
import { type CommandLine, readCommandLine, USAGE } from './live/options';
import { Report } from './live/report';
import type { Stage } from './live/stage';
import { wordsOf } from './live/words';
import { projectRoot } from './n8nHost/paths';

const EXIT_FAILED = 1;
const EXIT_BAD_USAGE = 2;
/** For what pays no heed to the signal. */
const GRACE_MS = 15_000;

const CHECKS = [checkFiles, checkJob, checkQueue, checkRefusals, checkServer, checkInputs, checkLibrary];

async function live(commandLine: CommandLine): Promise<number> {
	const startedAt = Date.now();
	const limitMs = commandLine.seconds * 1000;
	setTimeout(giveUp, limitMs + GRACE_MS).unref();
	const signal = AbortSignal.timeout(limitMs);
	const report = new Report((line) => console.log(line), wordsOf);
	console.log(`ComfyUI at ${withoutPassword(commandLine.url)}\n`);

	const connections = await findEngine(commandLine, report, signal);
	if (connections === undefined) return EXIT_FAILED;
	const [connection, stranger] = connections;
	const run = randomBytes(4).toString('hex');
	const keepIn = commandLine.keep ? join(projectRoot, 'demo-output', `live-${run}`) : undefined;
	const stage: Stage = {
		url: commandLine.url,
		authorization: commandLine.authorization,
		connection,
		stranger,
		signal,
		keepIn,
		folder: `n8n-nodes-comfy-live/${run}`,
	};
	for (const check of CHECKS) await check(stage, report);
	await Promise.all(connections.map(async (one) => await one.close()));

	const { held, failed, notShown } = report;
	console.log(
		`\n${held} held, ${failed} failed${notShown > 0 ? `, ${notShown} not shown` : ''}, in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`,
	);
	console.log(`ComfyUI cannot delete files: a few small pictures are left in ${stage.folder} of its input and output folders.`);
	if (keepIn !== undefined) console.log(`Downloaded pictures are in ${keepIn}.`);
	return failed === 0 ? 0 : EXIT_FAILED;
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
