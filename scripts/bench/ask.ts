import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Sends one order to a process and waits for its answer. */
export async function ask<Answer>(child: ChildProcess, order: object): Promise<Answer> {
	child.send(order);
	const [answer] = (await once(child, 'message')) as [Answer];
	return answer;
}
