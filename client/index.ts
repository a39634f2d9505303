/** The door. Nodes import the client only from here. */
export * from './connect';
export * from './contentHash';
export * from './errors';
export * from './graph';
export * from './job';
export { isRecord } from './records';
export * from './services';
export { outcomeOf } from './transport/outcome';
export * from './verifyAccess';
export * from './waitForJob';
