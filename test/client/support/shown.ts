import { inspect } from 'node:util';

/** All that a log or an execution could show of an error, its causes and hidden fields included. */
export const shown = (error: unknown): string =>
	inspect(error, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(error) + String(error);
