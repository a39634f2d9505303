import type { Sandbox } from '../../../sandbox/types';
import { until } from '../../support/until';

/** Jobs wait for their turn from now on, however slow the machine is, until this has come true: then they run. */
export async function jobsWait(sandbox: Sandbox, isTime: () => boolean): Promise<void> {
	sandbox.configure({ workers: 0 });
	await until(isTime);
	sandbox.configure({ workers: 4 });
}
