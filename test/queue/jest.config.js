const base = require('../../jest.config.js');

/**
 * n8n as people deploy it whom one machine is too small: main, two workers, Redis, PostgreSQL.
 * @type {import('jest').Config}
 */
module.exports = {
	rootDir: '../..',
	testEnvironment: base.testEnvironment,
	runtime: base.runtime,
	transform: base.transform,
	roots: ['<rootDir>/test/queue'],
	testMatch: ['**/*.queue.ts'],
	testTimeout: 600_000,
	globalSetup: '<rootDir>/test/queue/support/setUp.ts',
	globalTeardown: '<rootDir>/test/queue/support/tearDown.ts',
};
