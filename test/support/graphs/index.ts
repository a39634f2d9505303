export * from './definitions';
export * from './others';
export * from './templates';
