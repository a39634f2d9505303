import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const communityNodes = n8nCommunityNodesPlugin.configs.recommendedWithoutN8nCloudSupport;

/** Each of these is imported by one file only, so that it can be replaced in one place. */
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

/** Whatever waits does so on the client's clock, which tests let run faster. */
const onTheClock = 'Time is read from client/clock.ts, and waited on it.';
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
	closed(['**/nodes/**', '**/credentials/**', '**/sandbox/**'], 'The client stands on npm alone.'),
];
const belowNews = [...clientPatterns, closed(['**/news/**'], 'Only the door, client/index, imports the half of the trigger.')];
/** One for each interface. Which of them answers is known above them, to connect, findServer and news. */
const interfaces = ['v2', 'v1', 'engine', 'router'];
const without = (rooms, message) => [
	...belowNews,
	closed(
		rooms.map((room) => `**/${room}/**`),
		message,
	),
];
/** The most important limits, as an editor shows them. The client's layers are in scripts/architecture/layers.ts. */
const roomPatterns = {
	...Object.fromEntries(
		interfaces.map((own) => [
			own,
			without(
				interfaces.filter((other) => other !== own),
				'v2, v1, engine and router import none of each other; what they share stands below them.',
			),
		]),
	),
	...Object.fromEntries(
		['comfyui', 'files', 'graph', 'json', 'list', 'lost', 'pace', 'transport', 'wait'].map((own) => [
			own,
			without(interfaces, 'v2, v1, engine and router stand above: they import this.'),
		]),
	),
};
const patternsOf = (file) => roomPatterns[file.split('/')[1]] ?? belowNews;
const nodePatterns = [
	timers,
	closed(['**/client/*', '**/client/*/**', '!**/client/index'], 'Nodes import the client by its door, client/index.'),
	closed(['**/sandbox/**'], 'Nothing that is shipped imports the sandbox.'),
	closed(['**/Comfy*/**', '../Comfy*'], 'No node imports another; what they share is in nodes/shared.'),
];
const sandboxPatterns = [
	closed(['**/client/**', '**/nodes/**', '**/credentials/**'], 'The sandbox shares nothing with what it stands in for.'),
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
	fence(['client/**/*.ts'], { paths: libraryPaths(), patterns: belowNews }),
	fence(['client/index.ts', 'client/events/**/*.ts'], { paths: libraryPaths(), patterns: clientPatterns }),
	...Object.entries(roomPatterns).map(([room, patterns]) => fence([`client/${room}/**/*.ts`], { paths: libraryPaths(), patterns })),
	...Object.values(onlyImporter).map((file) => fence([file], { paths: libraryPaths(file), patterns: patternsOf(file) })),
	fence(['nodes/**/*.ts', 'credentials/**/*.ts'], { paths: libraryPaths(), patterns: nodePatterns }),
	fence(['sandbox/**/*.ts'], { paths: libraryPaths(), patterns: sandboxPatterns }),
	// The other end of the socket.
	fence(['sandbox/socket/*.ts'], { paths: libraryPaths().filter(({ name }) => name !== 'ws'), patterns: sandboxPatterns }),
	{ files: ['scripts/**/*.ts', 'sandbox/main.ts'], rules: { 'no-console': 'off' } },
);
