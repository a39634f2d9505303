import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const communityNodes = n8nCommunityNodesPlugin.configs.recommendedWithoutN8nCloudSupport;

/** All waits use the client's clock, which tests can run faster. */
const onTheClock = 'Use client/async/clock.ts to read the time and to wait.';
const ofTime = ['setTimeout', 'setInterval', 'setImmediate', 'performance'];
const noNewDate = { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: onTheClock };

const noControlFlow = {
	selector: 'IfStatement, SwitchStatement, ForStatement, ForOfStatement, ForInStatement, WhileStatement, TryStatement, ThrowStatement',
	message: 'A message is only text. nodes/shared/explain decides which message applies.',
};

const clockRules = {
	'no-restricted-globals': ['error', ...ofTime.map((name) => ({ name, message: onTheClock }))],
	'no-restricted-properties': [
		'error',
		...['globalThis', 'global'].flatMap((object) => ofTime.map((property) => ({ object, property, message: onTheClock }))),
		{ object: 'Date', property: 'now', message: onTheClock },
		{ object: 'AbortSignal', property: 'timeout', message: onTheClock },
		{ object: 'process', property: 'hrtime', message: onTheClock },
	],
	'no-restricted-syntax': ['error', noNewDate],
	'no-restricted-imports': [
		'error',
		{
			patterns: [{ group: ['timers', 'timers/*', 'node:timers', 'node:timers/*', 'perf_hooks', 'node:perf_hooks'], message: onTheClock }],
		},
	],
};

export default tseslint.config(
	{ ignores: ['dist/**', 'coverage/**', 'demo-output/**', '.cache/**', 'client/generated/**', 'test/e2e/*/node_modules/**'] },
	{
		files: ['**/*.ts'],
		extends: [js.configs.recommended, tseslint.configs.recommended],
		rules: { 'no-console': 'error', '@typescript-eslint/consistent-type-imports': 'error', 'max-lines': ['error', 300] },
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
	{ files: ['client/**/*.ts', 'nodes/**/*.ts', 'credentials/**/*.ts'], ignores: ['client/async/clock.ts'], rules: clockRules },
	{ files: ['nodes/shared/messages/topics/*.ts'], rules: { 'no-restricted-syntax': ['error', noNewDate, noControlFlow] } },
	{ files: ['scripts/**/*.ts', 'sandbox/main.ts'], rules: { 'no-console': 'off' } },
);
