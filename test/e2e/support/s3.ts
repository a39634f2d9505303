/** A local S3 server: `moto`, which Python's package index offers. For the tests only: nothing of the package needs Python. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '../../../client/transport/outcome';
import type { CredentialDocument } from '../../../scripts/n8nHost/documents';
import { projectRoot } from '../../../scripts/n8nHost/environment';
import { CommandFailed, freePort, run } from '../../../scripts/n8nHost/processes';
import { until } from './until';

const folder = join(projectRoot, '.cache/s3-server');
const venvPython = join(folder, 'bin/python');
/** Where pip installs on a machine without Python's venv module. */
const packageFolder = join(folder, 'packages');
const requirements = join(__dirname, 's3-requirements.txt');
/** Written after a complete installation. It then equals the requirements. */
const stamp = join(folder, 'complete.txt');

const NEEDED = 'The local S3 server needs Python 3.10 or newer with its venv or pip module, and the Python package index.';

async function install(): Promise<void> {
	const wanted = await readFile(requirements, 'utf8');
	if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
	await rm(folder, { recursive: true, force: true });
	const options = { cwd: projectRoot };
	const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', requirements];
	const venv = await outcomeOf(run('python3', ['-m', 'venv', folder], options));
	try {
		if (venv.ok) {
			await run(venvPython, pip, options);
		} else {
			await rm(folder, { recursive: true, force: true });
			await run('python3', [...pip, '--target', packageFolder], options);
		}
	} catch (error) {
		throw error instanceof CommandFailed ? new Error(`${NEEDED}\n${error.message}`) : error;
	}
	await writeFile(stamp, wanted);
}

const REGION = 'us-east-1';
const ACCESS_KEY_ID = 'test-key';

/** The server checks no signature while it accepts all keys. It only looks for the header. */
const AUTHORIZATION = `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY_ID}/20260101/${REGION}/s3/aws4_request, SignedHeaders=host, Signature=none`;

const READY_WITHIN_MS = 60_000;

export interface S3Server {
	/** For n8n's node S3. */
	credential: CredentialDocument;
	createBucket(bucket: string): Promise<void>;
	/** The names of the objects in the bucket. */
	keys(bucket: string): Promise<string[]>;
	object(bucket: string, key: string): Promise<{ bytes: Buffer; contentType: string | null }>;
	/** Whether the server accepts the key of the credential. */
	acceptKey(isAccepted: boolean): Promise<void>;
	/** Deletes all buckets, and accepts the key again. */
	reset(): Promise<void>;
	close(): Promise<void>;
}

/** Starts the server at a free loopback port. The first call installs it. */
export async function startS3(): Promise<S3Server> {
	await install();
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const isVenv = existsSync(venvPython);
	const child = spawn(isVenv ? venvPython : 'python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
		env: { ...process.env, ...(!isVenv && { PYTHONPATH: packageFolder }) },
		stdio: 'ignore',
	});
	const endWithUs = (): boolean => child.kill('SIGKILL');
	process.once('exit', endWithUs);

	const send = async (method: string, path: string, body?: string): Promise<Response> => {
		const answer = await fetch(`${url}${path}`, { method, body, headers: { authorization: AUTHORIZATION } });
		if (!answer.ok) throw new Error(`The S3 server answered ${answer.status} to ${method} ${path}: ${await answer.text()}`);
		return answer;
	};
	const acceptKey = async (isAccepted: boolean) => void (await send('POST', '/moto-api/reset-auth', isAccepted ? 'inf' : '0'));

	const isReady = async (): Promise<true | undefined> => {
		if (child.exitCode !== null) throw new Error(`The S3 server ended with exit code ${child.exitCode}`);
		return (await outcomeOf(send('GET', '/moto-api/data.json'))).ok || undefined;
	};
	await until('the S3 server', isReady, READY_WITHIN_MS);

	return {
		credential: {
			name: 'S3 (local)',
			type: 's3',
			data: {
				endpoint: url,
				region: REGION,
				accessKeyId: ACCESS_KEY_ID,
				secretAccessKey: 'test-secret',
				forcePathStyle: true,
				ignoreSSLIssues: false,
			},
		},
		createBucket: async (bucket) => void (await send('PUT', `/${bucket}`)),
		keys: async (bucket) => {
			const list = await (await send('GET', `/${bucket}?list-type=2`)).text();
			return [...list.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key ?? '');
		},
		object: async (bucket, key) => {
			const answer = await send('GET', `/${bucket}/${key}`);
			return { bytes: Buffer.from(await answer.arrayBuffer()), contentType: answer.headers.get('content-type') };
		},
		acceptKey,
		reset: async () => {
			await acceptKey(true);
			await send('POST', '/moto-api/reset');
		},
		close: async () => {
			process.removeListener('exit', endWithUs);
			if (child.exitCode !== null || child.signalCode !== null) return;
			const ended = once(child, 'exit');
			child.kill();
			await ended;
		},
	};
}
