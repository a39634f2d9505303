/** The door. Nodes import the client only from here. */
export * from './errors';
export * from './job';
export * from './services';
export * from './graph';
