export { appOf } from './app';
export { markedIn } from './marked';
export type { App, AppInput, MissingFromApp } from './types';
