const base = require('../../jest.config.js');

/**
 * A real nginx with the configuration of docs/your-own-comfyui.md in front of the sandbox. It needs no n8n server.
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '../..',
	roots: ['<rootDir>/test/proxy'],
	testMatch: ['**/*.proxy.ts'],
};
