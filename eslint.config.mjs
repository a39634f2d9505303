import { existsSync } from 'node:fs';

import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const communityNodes = n8nCommunityNodesPlugin.configs.recommendedWithoutN8nCloudSupport;

/** Only one file imports each of these libraries, so that it can be replaced in one place. */
const onlyImporter = {
	undici: 'client/transport/undiciDispatcher.ts',
	ws: 'client/transport/webSocket.ts',
	'hash-wasm': 'client/contentHash.ts',
	'eventsource-parser': 'client/v2/events.ts',
};
const libraryPaths = (file) =>
	Object.entries(onlyImporter)
		.filter(([, importer]) => importer !== file)
		.map(([name, importer]) => ({ name, message: `Only ${importer} imports ${name}.` }));

const fence = (files, { paths = [], patterns = [] }) => ({
	files,
	rules: { 'no-restricted-imports': ['error', { paths, patterns }] },
});
const closed = (group, message) => ({ group, message });

/** All waits use the client's clock, which tests can run faster. */
const onTheClock = 'Use client/clock.ts to read the time and to wait.';
const ofTime = ['setTimeout', 'setInterval', 'setImmediate', 'performance'];
const clockRules = {
	'no-restricted-globals': ['error', ...ofTime.map((name) => ({ name, message: onTheClock }))],
	'no-restricted-properties': [
		'error',
		...['globalThis', 'global'].flatMap((object) => ofTime.map((property) => ({ object, property, message: onTheClock }))),
		{ object: 'Date', property: 'now', message: onTheClock },
		{ object: 'AbortSignal', property: 'timeout', message: onTheClock },
		{ object: 'process', property: 'hrtime', message: onTheClock },
	],
	'no-restricted-syntax': ['error', { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: onTheClock }],
};
const timers = closed(['timers', 'timers/*', 'node:timers', 'node:timers/*', 'perf_hooks', 'node:perf_hooks'], onTheClock);

const clientPatterns = [
	timers,
	closed(['n8n-*', '@n8n/*'], 'The client knows nothing of n8n.'),
	closed(['**/nodes/**', '**/credentials/**', '**/sandbox/**'], 'The client imports only npm packages.'),
];
const belowEvents = [...clientPatterns, closed(['**/events/**'], 'Only the entry point, client/index, imports the part of the trigger.')];
/** One for each interface. Only connect, findServer and events choose between them. */
const interfaces = ['v2', 'v1', 'engine', 'router'];
const without = (folders, message) => [
	...belowEvents,
	closed(
		folders.map((folder) => `**/${folder}/**`),
		message,
	),
];
/** The most important limits, as an editor shows them. The client's layers are in scripts/architecture/layers.ts. */
const folderPatterns = {
	...Object.fromEntries(
		interfaces.map((own) => [
			own,
			without(
				interfaces.filter((other) => other !== own),
				'v2, v1, engine and router do not import each other. Put shared code into a lower layer.',
			),
		]),
	),
	...Object.fromEntries(
		['comfyui', 'concurrency', 'files', 'graph', 'json', 'list', 'recovery', 'transport', 'wait'].map((own) => [
			own,
			without(interfaces, 'v2, v1, engine and router are in a higher layer: they import this module.'),
		]),
	),
};
for (const folder of Object.keys(folderPatterns)) {
	if (!existsSync(new URL(`client/${folder}`, import.meta.url)))
		throw new Error(`client/${folder} does not exist. Correct folderPatterns.`);
}
const patternsOf = (file) => folderPatterns[file.split('/')[1]] ?? belowEvents;
const nodePatterns = [
	timers,
	closed(['**/client/*', '**/client/*/**', '!**/client/index'], 'Nodes import the client only through its entry point, client/index.'),
	closed(['**/sandbox/**'], 'Published code does not import the sandbox.'),
	closed(['**/Comfy*/**', '../Comfy*'], 'Nodes do not import each other. Put shared code into nodes/shared.'),
];
const sandboxPatterns = [
	closed(['**/client/**', '**/nodes/**', '**/credentials/**'], 'The sandbox does not import the code that it tests.'),
];

export default tseslint.config(
	{ ignores: ['dist/**', 'coverage/**', 'demo-output/**', '.cache/**', 'client/generated/**', 'test/e2e/*/node_modules/**'] },
	{
		files: ['**/*.ts'],
		extends: [js.configs.recommended, tseslint.configs.recommended],
		rules: { 'no-console': 'error', '@typescript-eslint/consistent-type-imports': 'error' },
	},
	{
		files: ['client/**/*.ts', 'credentials/**/*.ts', 'nodes/**/*.ts'],
		extends: [communityNodes],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
	},
	{
		files: ['package.json'],
		extends: [communityNodes],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
		rules: {
			...n8nNodesBase.configs.community.rules,
			// undici, ws and the others are needed at run time; the README says "self-hosted n8n only".
			'@n8n/community-nodes/no-runtime-dependencies': 'off',
		},
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			// Both want n8n's own conventions for built-in nodes: a camel-cased page name, and `apiKey`-like names only.
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			// These three predate connection-type constants, several outputs, and a maximum on number fields.
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
	{ files: ['client/**/*.ts', 'nodes/**/*.ts', 'credentials/**/*.ts'], ignores: ['client/clock.ts'], rules: clockRules },
	fence(['client/**/*.ts'], { paths: libraryPaths(), patterns: belowEvents }),
	fence(['client/index.ts', 'client/events/**/*.ts'], { paths: libraryPaths(), patterns: clientPatterns }),
	...Object.entries(folderPatterns).map(([folder, patterns]) => fence([`client/${folder}/**/*.ts`], { paths: libraryPaths(), patterns })),
	...Object.values(onlyImporter).map((file) => fence([file], { paths: libraryPaths(file), patterns: patternsOf(file) })),
	fence(['nodes/**/*.ts', 'credentials/**/*.ts'], { paths: libraryPaths(), patterns: nodePatterns }),
	fence(['sandbox/**/*.ts'], { paths: libraryPaths(), patterns: sandboxPatterns }),
	// The server side of WebSockets.
	fence(['sandbox/socket/*.ts'], { paths: libraryPaths().filter(({ name }) => name !== 'ws'), patterns: sandboxPatterns }),
	{ files: ['scripts/**/*.ts', 'sandbox/main.ts'], rules: { 'no-console': 'off' } },
);
