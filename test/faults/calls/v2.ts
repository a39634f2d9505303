import type { Call } from '../shapes';
import { v2FileCalls } from './v2Files';
import { v2JobCalls } from './v2Jobs';
import { v2WaitCalls } from './v2Waits';

/** The v2 interface, of the account and of a deployment of its own. */
export const v2Calls: readonly Call[] = [...v2JobCalls, ...v2FileCalls, ...v2WaitCalls];
