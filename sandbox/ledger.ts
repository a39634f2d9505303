import { createHash } from 'node:crypto';
import type { Ledger } from './types';

export const newLedger = (): Ledger => ({ runs: [], executedNodes: [], cancels: [], partnerKeys: [], routerRuns: [], routerCalls: [] });

/** sha256, hex: the ledger keeps no secret and no graph itself. */
export const digest = (value: string): string => createHash('sha256').update(value).digest('hex');
