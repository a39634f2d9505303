import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const communityNodes = n8nCommunityNodesPlugin.configs.recommendedWithoutN8nCloudSupport;

/** Each of these is imported by one file only, so that it can be replaced in one place. */
const onlyImporter = {
	undici: 'client/transport/ownConnections.ts',
	ws: 'client/transport/webSocket.ts',
	'hash-wasm': 'client/contentHash.ts',
	'eventsource-parser': 'client/transport/eventStream.ts',
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

const clientPatterns = [
	closed(['n8n-*', '@n8n/*'], 'The client knows nothing of n8n.'),
	closed(['**/nodes/**', '**/credentials/**', '**/sandbox/**'], 'The client stands on npm alone.'),
];
const nodePatterns = [
	closed(['**/client/*', '**/client/*/**', '!**/client/index'], 'Nodes import the client by its door, client/index.'),
	closed(['**/sandbox/**'], 'Nothing that is shipped imports the sandbox.'),
	closed(['**/Comfy*/**', '../Comfy*'], 'No node imports another; what they share is in nodes/shared.'),
];
const sandboxPatterns = [closed(['**/client/**', '**/nodes/**', '**/credentials/**'], 'The sandbox shares nothing with what it stands in for.')];

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
	fence(['client/**/*.ts'], { paths: libraryPaths(), patterns: clientPatterns }),
	...Object.values(onlyImporter).map((file) =>
		fence([file], { paths: libraryPaths(file), patterns: clientPatterns }),
	),
	fence(['nodes/**/*.ts', 'credentials/**/*.ts'], { paths: libraryPaths(), patterns: nodePatterns }),
	fence(['sandbox/**/*.ts'], { paths: libraryPaths(), patterns: sandboxPatterns }),
	// The other end of the socket.
	fence(['sandbox/socket/*.ts'], { paths: libraryPaths().filter(({ name }) => name !== 'ws'), patterns: sandboxPatterns }),
	{ files: ['scripts/**/*.ts', 'sandbox/main.ts'], rules: { 'no-console': 'off' } },
);
