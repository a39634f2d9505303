/** Which n8n runs, and the environment that it runs in. */
import { delimiter, dirname, join, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { dependencies } from '../../test/e2e/host/package.json';

export const projectRoot = resolve(__dirname, '../..');
export const hostFolder = join(projectRoot, 'test/e2e/host');
export const engine1xFolder = join(projectRoot, 'test/e2e/engine-1x');

/** The n8n that the demo and the tests start. */
export interface Host {
	/** For people. */
	title: string;
	/** `start` or `worker` follows. */
	command: [string, ...string[]];
	/** What the command needs in front of PATH. */
	folders: string[];
	/** A file without which it cannot start, if it is known. */
	main?: string;
}

/** Its own Node if it has one: the binary itself, since pnpm's shell script in `.bin` does not pass signals on. */
function hostIn(folder: string, title: string): Host {
	const own = join(folder, 'node_modules/node/bin/node');
	const node = existsSync(own) || folder === hostFolder ? own : process.execPath;
	const main = join(folder, 'node_modules/n8n/bin/n8n');
	return { title, command: [node, main], folders: [dirname(node), join(folder, 'node_modules/.bin')], main };
}

const pinned = hostIn(hostFolder, `n8n ${dependencies.n8n} on Node 24`);

/** Returns the n8n that these environment variables name, or the pinned one. @throws Error if both are set. */
export function chooseHost({ TEST_N8N_FOLDER: folder, TEST_N8N_COMMAND: command }: NodeJS.ProcessEnv): Host {
	if (folder && command) throw new Error('Set either TEST_N8N_FOLDER or TEST_N8N_COMMAND, not both.');
	if (folder) return hostIn(resolve(folder), `n8n in ${folder}`);
	if (!command) return pinned;
	const [program = '', ...args] = command.trim().split(/\s+/);
	return { title: `n8n by ${command}`, command: [program, ...args], folders: [] };
}

export const host = chooseHost(process.env);
export const isPinned = host === pinned;

/** What `npm run` adds for the project's own sake; `ignore_scripts` would leave the host without its native parts. */
const OF_THIS_PROJECT = /^npm_(lifecycle|package|command|config_(ignore_scripts|omit|.*prefix|node_gyp|user_agent))/i;

/** Settings that would make n8n, or the Node under it, behave otherwise than a fresh install does. */
const OF_OTHER_PROGRAMS = /^(N8N_|DB_|EXECUTIONS_|QUEUE_|GENERIC_|NODE_ENV$|NODE_OPTIONS$|JEST_|https?_proxy$|all_proxy$|npm_)/i;

function environmentWithout(pattern: RegExp): NodeJS.ProcessEnv {
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !pattern.test(name)));
}

/** For installs: the user's registry and cache settings stay, this project's own npm settings go. */
export function installEnvironment(): NodeJS.ProcessEnv {
	const env = environmentWithout(OF_THIS_PROJECT);
	const prefix = dirname(dirname(process.execPath));
	// Native parts then compile against headers that are already here.
	if (existsSync(join(prefix, 'include/node/node.h'))) env.npm_config_nodedir = prefix;
	return env;
}

/** For n8n: on the loopback, silent towards its makers. */
export function n8nEnvironment(userFolder: string, port: number, brokerPort: number): NodeJS.ProcessEnv {
	return {
		...environmentWithout(OF_OTHER_PROGRAMS),
		PATH: [...host.folders, process.env.PATH].join(delimiter),
		N8N_USER_FOLDER: userFolder,
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_SECURE_COOKIE: 'false',
		N8N_MCP_REGISTRY_ENABLED: 'false',
		// Without it, n8n 3.0 loads only verified packages. n8n 2.x has this as its default.
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
		// On a busy machine, n8n answers 503 to all requests while its own database check takes longer.
		DB_PING_TIMEOUT_MS: '120000',
	};
}
