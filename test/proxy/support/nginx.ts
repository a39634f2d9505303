import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { freePort } from '../../../scripts/n8nHost/processes';
import { findNginx } from './findNginx';

const STARTS_WITHIN_MS = 30_000;

export interface Nginx {
	url: string;
	/** The lines of its access log: status, method and path. */
	requests(): string[];
	stop(): Promise<void>;
}

const DOCUMENT = join(__dirname, '../../../docs/your-own-comfyui.md');

/**
 * Returns the settings of the document: for a password, for a token (from the lines that replace the password), and for
 * the API proxy below a path.
 */
export function documentedSettings(): { password: string; token: string; path: string } {
	const blocks = [...readFileSync(DOCUMENT, 'utf8').matchAll(/```nginx\n([^]*?)```/g)].map(([, text = '']) => text);
	const [password, check, path] = blocks;
	if (password === undefined || check === undefined || path === undefined) throw new Error('The document does not have three nginx blocks');
	const token = password.replace(/^ *auth_basic .*\n *auth_basic_user_file .*\n/m, check);
	if (token === password) throw new Error('The first nginx block has no password to replace');
	return { password, token, path };
}

const replaceOnce = (text: string, from: string | RegExp, to: string): string => {
	if (text.split(from).length !== 2) throw new Error(`The settings do not contain "${String(from)}" once`);
	return text.replace(from, () => to);
};

const answers = async (port: number): Promise<boolean> =>
	await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1', () => resolve(true))
			.once('error', () => resolve(false))
			.once('connect', () => socket.destroy());
	});

interface Settings {
	/** Settings of the document. */
	settings: string;
	/** The address of ComfyUI or of the API proxy. */
	server: string;
	/** Lines of the password file. */
	users?: string[];
}

/** Starts an nginx with the settings of the document. Only ports, addresses and paths are replaced. */
export async function startNginx({ settings, server, users = [] }: Settings): Promise<Nginx> {
	const folder = mkdtempSync(join(tmpdir(), 'comfy-nginx-'));
	const at = (name: string): string => join(folder, name);
	const port = await freePort();
	let site = replaceOnce(settings, 'listen 8080;', `listen 127.0.0.1:${port};`);
	site = replaceOnce(site, /(?<=proxy_pass )http:\/\/127\.0\.0\.1:\d+/, server);
	site = site.replace('/etc/nginx/comfyui.htpasswd', at('htpasswd'));
	writeFileSync(at('htpasswd'), users.join('\n'));
	const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${at(name)};`);
	writeFileSync(
		at('nginx.conf'),
		`daemon off; worker_processes 1; pid ${at('pid')};
		${process.getuid?.() === 0 ? 'user root;' : ''}
		events {}
		http {
			log_format short '$status $request_method $uri';
			access_log ${at('access.log')} short;
			${temporary.join('\n')}
			${site}
		}`,
	);
	const child = spawn(findNginx(), ['-e', at('error.log'), '-c', at('nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
	let said = '';
	child.stderr.on('data', (chunk) => (said += String(chunk)));
	let hasEnded = false;
	const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve())).then(
		() => void (hasEnded = true),
	);
	const endWithUs = () => child.kill();
	process.once('exit', endWithUs);
	const stop = async () => {
		child.kill('SIGTERM');
		await ended;
		process.removeListener('exit', endWithUs);
		rmSync(folder, { recursive: true, force: true });
	};
	const deadline = Date.now() + STARTS_WITHIN_MS;
	while (!(await answers(port))) {
		if (!hasEnded && Date.now() < deadline) await delay(20);
		else {
			await stop();
			throw new Error(`nginx did not start: ${said}`);
		}
	}
	return {
		url: `http://127.0.0.1:${port}`,
		requests: () => readFileSync(at('access.log'), 'utf8').split('\n').filter(Boolean),
		stop,
	};
}
