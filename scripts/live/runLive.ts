/** All checks of one command line, and what they print. */
import { randomBytes } from 'node:crypto';
import { connect, type ConnectSettings, findServer } from '../../client';
import { EMBEDDED_CHECK, FILE_CHECKS, FORMAT_CHECK, LIBRARY_CHECK, MASK_CHECK } from './checks/files';
import { JOB_CHECKS } from './checks/jobs';
import { OUTAGE_CHECKS } from './checks/outages';
import { FRONT_CHECKS, QUEUE_CHECKS } from './checks/queue';
import { SERVER_CHECKS } from './checks/server';
import type { CommandLine } from './commandLine';
import { ComfyProcess } from './comfyProcess';
import { assertThat, type Check, CheckSkipped, describeError, type Stage } from './stage';

const PROXY_CHECKS = [...FILE_CHECKS, ...JOB_CHECKS, ...QUEUE_CHECKS, ...OUTAGE_CHECKS];
const ENGINE_CHECKS = [...PROXY_CHECKS, ...FRONT_CHECKS, MASK_CHECK, FORMAT_CHECK, LIBRARY_CHECK, EMBEDDED_CHECK, ...SERVER_CHECKS];

/** Within which a ComfyUI that is switched off must be reported. */
const WAIT_FOR_SERVER_MS = 60_000;
/** A server that does not answer at once is not there. */
const PATIENCE_MS = 3_000;
/** Names of checks are padded to it. */
const WIDTH = 24;

/** @returns whether all checks held that could be shown. */
export async function runLive(
	{ url, authorization, user, proxy, token, start, seconds }: CommandLine,
	print: (line: string) => void,
	waitForServerMs = WAIT_FOR_SERVER_MS,
): Promise<boolean> {
	const startedAt = Date.now();
	const signal = AbortSignal.timeout(seconds * 1000);
	const comfy = start === undefined ? undefined : new ComfyProcess(start, url, signal);
	const endWithProcess = (): void => comfy?.kill();
	process.once('exit', endWithProcess);
	const counts = { held: 0, failed: 0, notShown: 0 };

	/** Prints one line. @returns whether the check holds. */
	const holds = async (name: string, check: () => Promise<string>): Promise<boolean> => {
		try {
			print(`✓ ${name.padEnd(WIDTH)}${await check()}`);
			counts.held++;
			return true;
		} catch (error) {
			const isOpen = error instanceof CheckSkipped;
			counts[isOpen ? 'notShown' : 'failed']++;
			print(`${isOpen ? '–' : '✗'} ${name.padEnd(WIDTH)}${describeError(error)}`);
			return false;
		}
	};

	const headers = { ...(user !== undefined && { 'comfy-user': user }) };
	const folder = `n8n-nodes-comfy-live/${randomBytes(4).toString('hex')}`;
	const shared = { url, headers: { ...headers, ...(authorization !== undefined && { authorization }) }, comfy, waitForServerMs, signal };

	const checkServer = async (settings: ConnectSettings, checks: readonly Check[], folders: Pick<Stage, 'folder' | 'inputFolder'>) => {
		if (!(await holds('Find the server', async () => await findAs(settings, signal)))) return;
		const stage: Stage = { settings, connection: connect(settings), stranger: connect(settings), ...shared, ...folders };
		for (const { name, check } of checks) await holds(name, async () => await check(stage));
		await Promise.all([stage.connection.close(), stage.stranger.close()]);
	};

	try {
		if (comfy !== undefined && !(await holds('Start ComfyUI', async () => await startUp(comfy)))) return false;
		print(`ComfyUI at ${withoutPassword(url)}\n`);
		await checkServer({ interface: 'engine', baseUrl: url, authorization, headers }, ENGINE_CHECKS, { folder, inputFolder: folder });
		if (proxy !== undefined) {
			print(`\nAPI proxy at ${withoutPassword(proxy)}\n`);
			// The API proxy takes files below `input/` only.
			const folders = { folder: `${folder}/proxy`, inputFolder: `input/${folder}` };
			await checkServer({ interface: 'v2', baseUrl: proxy, token }, PROXY_CHECKS, folders);
		}
	} finally {
		await comfy?.stop();
		process.removeListener('exit', endWithProcess);
	}
	const { held, failed, notShown } = counts;
	print(`\nComfyUI cannot delete files: a few small pictures are left in ${folder} of its input and output folders.`);
	print(`\n${held} held, ${failed} failed, ${notShown} not shown, in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
	return failed === 0;
}

async function startUp(comfy: ComfyProcess): Promise<string> {
	const begunAt = Date.now();
	await comfy.start();
	return `it answers after ${((Date.now() - begunAt) / 1000).toFixed(1)} s`;
}

/** Finds the server at an address, as the nodes do. */
async function findAs(settings: ConnectSettings, signal: AbortSignal): Promise<string> {
	const { connection, service } = await findServer({ ...settings, engineUrl: '', wanted: 'any' }, { signal, patienceMs: PATIENCE_MS });
	await connection.close();
	assertThat(
		connection.interface === settings.interface,
		settings.interface === 'engine'
			? 'found the API proxy, not ComfyUI itself. Give the address of ComfyUI behind it, usually port 8188'
			: 'found ComfyUI itself, not the API proxy. The proxy is usually at port 8189',
	);
	return service.version === null ? 'it does not report its version' : `version ${service.version}`;
}

const withoutPassword = (url: string): string => url.replace(/\/\/[^/@]*@/, '//');
