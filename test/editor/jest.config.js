const base = require('../../jest.config.js');

/**
 * The real n8n, driven by its editor in a browser. On the one host of the end-to-end tests.
 * @type {import('jest').Config}
 */
module.exports = {
	rootDir: '../..',
	testEnvironment: base.testEnvironment,
	runtime: base.runtime,
	transform: base.transform,
	roots: ['<rootDir>/test/editor'],
	testMatch: ['**/*.editor.ts'],
	testTimeout: 300_000,
	globalSetup: '<rootDir>/test/editor/support/setUp.ts',
	globalTeardown: '<rootDir>/test/e2e/support/hostTeardown.ts',
};
