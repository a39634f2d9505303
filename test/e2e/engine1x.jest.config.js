const { existsSync } = require('node:fs');
const { join } = require('node:path');
const base = require('../../jest.config.js');

const engine = '<rootDir>/test/e2e/engine-1x/node_modules';

/**
 * The suites in which n8n's engine takes part: items and their pairing, expressions, binary data, credentials, tools, triggers,
 * stops, and the stored executions from which a retry derives its keys. The other suites test requests, texts and lists, which are
 * the same on every engine. (n8n 1.121 keeps no files in its database, and child processes do not use the mapping below.)
 */
const SUITES = [
	'flow',
	'binaryModes/disk',
	'binaryModes/memory',
	'binaryModes/remote',
	'download/download',
	'manageJobs/manageJobs',
	'router/crash',
	'router/run',
	'run/once',
	'run/run',
	'run/stillRunning',
	'run/tool',
	'shared/credentials',
	'shared/execution/execution',
	'shared/execution/repeatedExecution',
	'shared/execution/rows',
	'shared/execution/subWorkflows',
	'shared/items/items',
	'shared/items/shutdownConnected',
	'shared/submission/changedRows',
	'shared/submission/crash',
	'shared/submission/secondRuns',
	'submit/once',
	'trigger/services',
	'upload/upload',
	'wait/wait',
].map((name) => `test/nodes/${name}.test.ts`);

const missing = SUITES.filter((path) => !existsSync(join(__dirname, '../..', path)));
if (missing.length > 0) throw new Error(`test/e2e/engine1x.jest.config.js lists suites that do not exist: ${missing.join(', ')}`);

/**
 * A part of the node suites once more, on the engine of the oldest n8n that is supported (test/e2e/engines.json).
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '../..',
	displayName: 'n8n 1.x engine',
	roots: ['<rootDir>/test/nodes'],
	testMatch: SUITES.map((path) => `<rootDir>/${path}`),
	moduleNameMapper: {
		'^(n8n-core|n8n-workflow|@n8n/di)(/.*)?$': `${engine}/$1$2`,
	},
	globalSetup: '<rootDir>/test/e2e/support/engine1xSetup.ts',
};
