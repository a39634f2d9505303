/** Where the pinned n8n is, and the environment that it runs in. */
import { delimiter, dirname, join, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { dependencies } from '../../test/e2e/host/package.json';

export const projectRoot = resolve(__dirname, '../..');
export const hostFolder = join(projectRoot, 'test/e2e/host');
/** The version of n8n that is pinned in `hostFolder`. */
export const hostVersion = dependencies.n8n;
export const engine1xFolder = join(projectRoot, 'test/e2e/engine-1x');
/** The pinned n8n's own Node 24: the binary itself, since pnpm's shell script in `.bin` does not pass signals on. */
export const hostNode = join(hostFolder, 'node_modules/node/bin/node');
export const n8nMain = join(hostFolder, 'node_modules/n8n/bin/n8n');
export const hostBinFolder = join(hostFolder, 'node_modules/.bin');

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

/** For n8n: on its own Node, on the loopback, silent towards its makers. */
export function n8nEnvironment(userFolder: string, port: number, brokerPort: number): NodeJS.ProcessEnv {
	return {
		...environmentWithout(OF_OTHER_PROGRAMS),
		PATH: [dirname(hostNode), hostBinFolder, process.env.PATH].join(delimiter),
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
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
		// On a busy machine, n8n answers 503 to all requests while its own database check takes longer.
		DB_PING_TIMEOUT_MS: '120000',
	};
}
