const { join } = require('node:path');

const base = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
	rootDir: '../..',
	// These two hold for all projects or for none. The 1.x engine never ends a timer of its SSH clients.
	testTimeout: 180_000,
	forceExit: true,
	projects: [
		'<rootDir>/test/e2e/engine1x.jest.config.js',
		{
			rootDir: join(__dirname, '../..'),
			displayName: 'real n8n',
			runner: '<rootDir>/test/e2e/support/twoLanes.js',
			testEnvironment: base.testEnvironment,
			runtime: base.runtime,
			transform: base.transform,
			roots: ['<rootDir>/test/e2e'],
			testMatch: ['**/*.e2e.ts'],
			testPathIgnorePatterns: ['/node_modules/'],
			modulePathIgnorePatterns: ['<rootDir>/test/e2e/[^/]+/node_modules/'],
			globalSetup: '<rootDir>/test/e2e/support/hostSetup.ts',
			globalTeardown: '<rootDir>/test/e2e/support/hostTeardown.ts',
		},
	],
};
