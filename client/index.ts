/** The door. Nodes import the client only from here. */
export * from './confirmCancel';
export * from './connect';
export * from './contentHash';
export * from './errors';
export * from './graph';
export * from './job';
export { NEWS_KINDS, type News, type NewsKind } from './progress/news';
export { NewsDesk, type DeskMemory } from './progress/newsDesk';
export * from './progress/selection';
export { Throttle } from './progress/throttle';
export { isRecord } from './records';
export * from './services';
export { outcomeOf } from './transport/outcome';
export * from './verifyAccess';
export * from './waitForJob';
export * from './watch/openWatch';
export type { Trouble, Watch, Watcher } from './watch/watcher';
