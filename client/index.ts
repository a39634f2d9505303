/** The door. Nodes import the client only from here. */
export * from './connect';
export * from './contentHash';
export * from './errors';
export * from './graph';
export * from './job';
export * from './services';
export * from './verifyAccess';
export * from './waitForJob';
