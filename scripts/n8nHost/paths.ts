import { join, resolve } from 'node:path';

export const projectRoot = resolve(__dirname, '../..');
export const hostFolder = join(projectRoot, 'test/e2e/host');
export const engine1xFolder = join(projectRoot, 'test/e2e/engine-1x');
/** The pinned n8n's own Node 24: the binary itself, since pnpm's shell script in `.bin` does not pass signals on. */
export const hostNode = join(hostFolder, 'node_modules/node/bin/node');
export const n8nMain = join(hostFolder, 'node_modules/n8n/bin/n8n');
export const hostBinFolder = join(hostFolder, 'node_modules/.bin');
