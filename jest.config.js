/** @type {import('jest').Config} */
module.exports = {
	// Stryker resolves this path from the root of the project.
	testEnvironment: './test/jest/environment.js',
	runtime: '<rootDir>/test/jest/runtime.js',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/'],
	transform: {
		'\\.ts$': [
			'@swc/jest',
			{ jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' }, sourceMaps: 'inline' },
		],
	},
	setupFilesAfterEnv: ['<rootDir>/test/jest/freshServices.ts', '<rootDir>/test/jest/patientTime.ts', '<rootDir>/test/support/metFaults.ts'],
	// Long enough for a loaded machine. Waits for a condition fail earlier (test/support/until.ts).
	testTimeout: 120_000,
};
