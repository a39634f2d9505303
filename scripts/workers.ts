/** Processes of our own scripts that answer requests, several at a time. */
import { type ChildProcess, fork, type ForkOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';

interface Message {
	/** Of the request that it belongs to. */
	id: string;
	content?: unknown;
	error?: string;
}

/** A process that runs a TypeScript file, which calls `answerRequests`. */
export class Worker<Request, Answer> {
	private readonly child: ChildProcess;
	private readonly answers = new EventEmitter().setMaxListeners(0).on('error', () => undefined);

	constructor(file: string, options: ForkOptions = {}) {
		this.child = fork(file, { execArgv: ['--import', 'tsx'], ...options });
		this.child.on('message', ({ id, content, error }: Message) => this.answers.emit(id, content, error));
		this.child.once('exit', (code) => this.answers.emit('error', new Error(`The process of ${file} ended with ${code}`)));
	}

	/** @throws Error with the stack of the process if it could not answer, or if it has ended. */
	async ask(content: Request): Promise<Answer> {
		const id = randomUUID();
		this.child.send({ id, content });
		const [answer, error] = (await once(this.answers, id)) as [Answer, string | undefined];
		if (error !== undefined) throw new Error(error);
		return answer;
	}

	/** Returns when the process has ended. */
	async end(): Promise<void> {
		if (!this.child.connected) return;
		const exit = once(this.child, 'exit');
		this.child.disconnect();
		await exit;
	}
}

const PROCESSES = 2;

/**
 * Lets two processes answer all requests, in their order.
 * @param atOnce how many requests each process works on at the same time.
 * @throws Error if a process cannot answer.
 */
export async function askWorkers<Request, Answer>(
	file: string,
	requests: readonly Request[],
	atOnce: number,
	onAnswer: (answer: Answer) => void,
): Promise<void> {
	const left = requests.values();
	const workers = Array.from({ length: PROCESSES }, () => new Worker<Request, Answer>(file));
	const lanes = workers.flatMap((worker) => Array<typeof worker>(atOnce).fill(worker));
	await Promise.all(
		lanes.map(async (worker) => {
			for (const request of left) onAnswer(await worker.ask(request));
		}),
	);
	await Promise.all(workers.map(async (worker) => await worker.end()));
}

/** For the process: answers each request. When its parent disconnects, it cleans up and ends, although it may still hold something open. */
export function answerRequests<Request>(
	answer: (request: Request) => Promise<unknown>,
	cleanUp = async () => await Promise.resolve(),
): void {
	process.on('message', ({ id, content }: Message) => {
		answer(content as Request).then(
			(answered) => process.send?.({ id, content: answered }),
			(error: unknown) => process.send?.({ id, error: error instanceof Error ? error.stack : String(error) }),
		);
	});
	process.on('disconnect', () => void cleanUp().finally(() => process.exit()));
}
