/** The entry point: a sandbox, and its types. */
export type { Behaviour } from './behaviour';
export type { Fault, FaultAnswer, FaultHandle, FaultRule } from './faultTypes';
export type { Ledger, LedgerCancel, LedgerNode, LedgerRouterRun, LedgerRun } from './ledger';
export { startSandbox } from './startSandbox';
export type * from './types';
export type * from './vocabulary';
