import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { IRunExecutionData } from 'n8n-workflow';

import type { NodeRun } from '../../nodes/support/engine';
import type { Stored } from '../../nodes/support/stored';
import type { DeliveredItem, Ended, Told } from './n8nChild';

/** What is left of an execution, in n8n's database and log. */
export interface Left {
	stored: Stored;
	/** Undefined where n8n was killed before it had stored the end. */
	end?: { failure?: string; items: DeliveredItem[] };
}

export class N8nProcess {
	private readonly gone: Promise<unknown>;

	private constructor(
		private readonly child: ChildProcess,
		/** What it says: first that it is ready, then what it was told to run. */
		private onTold: (told: Told) => void = () => undefined,
	) {
		child.on('message', (told) => this.onTold(told as Told));
		// Whatever it had said by then is heard before.
		this.gone = Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
	}

	/** @param folder n8n's own, which outlives it. */
	static async start(folder: string): Promise<N8nProcess> {
		const env = { ...process.env, N8N_USER_FOLDER: folder, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };
		const child = fork(join(__dirname, 'n8nChild.ts'), { env, execArgv: ['--import', 'tsx'], stdio: 'inherit', serialization: 'advanced' });
		const n8n = new N8nProcess(child);
		await Promise.race([once(child, 'message'), n8n.gone.then(() => Promise.reject(new Error('The process ended before it had begun')))]);
		return n8n;
	}

	/**
	 * Executes until the end, or until it is killed.
	 * @param told `begun` when n8n has stored that it is executed, `ended` when it has ended and that is not stored yet.
	 */
	async run(order: NodeRun, told: (what: 'begun' | 'ended') => void = () => undefined): Promise<Left> {
		const run = { mode: 'webhook' as const, ...order, executionId: order.executionId ?? randomUUID() };
		const [started, ended] = [new Set<string>(), new Set<string>()];
		let begun: string | undefined;
		const finished = new Promise<Ended>((resolve) => {
			this.onTold = (one) => {
				if ('begun' in one) {
					begun = one.begun;
					told('begun');
				} else if ('started' in one) started.add(one.started);
				else if ('ended' in one) ended.add(one.ended);
				else {
					told('ended');
					if (!this.child.killed) resolve(one.result);
				}
			};
		});
		this.child.send(run);
		const end = await Promise.race([finished, this.gone.then(() => undefined)]);
		const data = end === undefined ? begun : JSON.stringify((JSON.parse(end.stored) as { data: IRunExecutionData }).data);
		if (data === undefined) throw new Error('n8n was gone before it had begun');
		const stored: Stored = {
			run: order,
			executionId: run.executionId,
			data: JSON.parse(data) as IRunExecutionData,
			nodeNames: ['Start', 'Under Test'],
			started,
			ended,
		};
		return { stored, ...(end !== undefined && { end }) };
	}

	kill(): void {
		this.child.kill('SIGKILL');
	}

	async end(): Promise<void> {
		this.kill();
		await this.gone;
	}
}

/** One n8n after the other, each with the data of those before it; the next one is started in advance. */
export class Lane {
	private readonly folder = mkdtempSync(join(tmpdir(), 'comfy-kills-'));
	private next = N8nProcess.start(this.folder);
	private alive?: N8nProcess;

	/** The one that lives. */
	async n8n(): Promise<N8nProcess> {
		if (this.alive !== undefined) return this.alive;
		this.alive = await this.next;
		this.next = N8nProcess.start(this.folder);
		return this.alive;
	}

	/** What it had begun is left as it is. */
	kill(): void {
		this.alive?.kill();
		this.alive = undefined;
	}

	async end(): Promise<void> {
		await Promise.all([this.alive?.end(), this.next.then(async (one) => await one.end())]);
		rmSync(this.folder, { recursive: true, force: true });
	}
}
