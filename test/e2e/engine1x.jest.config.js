const base = require('../../jest.config.js');

const engine = '<rootDir>/test/e2e/engine-1x/node_modules';

/**
 * The node suite once more, on the engine of the oldest n8n that is supported (test/e2e/engines.json).
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '../..',
	displayName: 'n8n 1.x engine',
	roots: ['<rootDir>/test/nodes'],
	testPathIgnorePatterns: [
		...base.testPathIgnorePatterns,
		// n8n 1.121 keeps no files in its database.
		'/test/nodes/binaryModes/database.test.ts',
		// In child processes the mapping below does not hold.
		'/test/nodes/shared/items/shutdown.test.ts',
		'/test/nodes/router/shutdown.test.ts',
		// Nothing in these depends on the engine: texts, lists for the editor, requests to the service, searches for jobs. (The
		// rules on which addresses may be reached came with n8n 2.29.)
		'/test/nodes/package/',
		'/test/nodes/shared/(appFields|connect|debugLog|files|inputs|listSearch|longTexts|messages|names|withoutSecrets|workflows)',
		'/test/nodes/shared/submission/(crashStops|recovered|retryAfterStop|unconfirmedRetry)',
		'/test/nodes/(download/faults|getWorkflow/|manageJobs/(list|queue)|trigger/(engine|troubles))',
		'/test/nodes/run/(batch|files|requests|seeds)',
		'/test/nodes/router/(collect|editor|form|inputFiles|longNumbers|refusals|resultNames|seeds)',
	],
	moduleNameMapper: {
		'^(n8n-core|n8n-workflow|@n8n/di)(/.*)?$': `${engine}/$1$2`,
	},
	globalSetup: '<rootDir>/test/e2e/support/engine1xSetup.ts',
};
