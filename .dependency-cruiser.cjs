/**
 * The architecture, as `npm run house` checks it with dependency-cruiser.
 *
 * By part of the project: its layers, from top to bottom, one line each. Modules import only from lower layers, and the modules of
 * one line do not import each other. A module is a file, or a folder with everything in it that has no entry of its own. With `*`,
 * each match is a module. If several entries match a file, the lowest one counts.
 */
const LAYERS = {
	nodes: [
		'nodes/Comfy*/',
		'nodes/shared/listSearch/',
		'nodes/shared/jobs/',
		'nodes/shared/app/',
		'nodes/shared/inputFiles/',
		'nodes/shared/workflows/',
		'nodes/shared/inputs/ nodes/shared/items/',
		'nodes/shared/connect/ nodes/shared/submission/',
		'nodes/shared/debugLog.ts nodes/shared/descriptions/ nodes/shared/nodeErrors.ts',
		'nodes/shared/explain/',
		'nodes/shared/execution/ nodes/shared/files/ nodes/shared/operation.ts',
		'nodes/shared/withoutSecrets.ts',
		'nodes/shared/options.ts',
		'nodes/shared/credentials.ts nodes/shared/dates.ts nodes/shared/hints.ts nodes/shared/parameters.ts',
		'nodes/shared/moreServers.ts',
		'nodes/shared/signIn.ts',
		'nodes/shared/itemFault.ts nodes/shared/itemProgress.ts',
		'nodes/shared/messages/',
		'credentials/Comfy*.credentials.ts',
		'credentials/moreServersFields.ts credentials/sharedFields.ts credentials/signInFields.ts',
		'credentials/defaultAddresses.ts',
	],
	client: [
		'client/index.ts',
		'client/events/',
		'client/pool/',
		'client/connect/findServer.ts client/connect/recognize.ts',
		'client/connect/',
		'client/v2/ client/v1/ client/engine/ client/router/',
		'client/concurrency/ client/recovery/ client/wait/',
		'client/list/',
		'client/comfyui/',
		'client/files/',
		'client/connection/',
		'client/requests/',
		'client/graph/',
		'client/transport/',
		'client/contact/',
		'client/ports/',
		'client/async/ client/json/',
		'client/errors/ client/log/',
		'client/ports/job.ts',
		'client/cache/ client/json/exactJson.ts',
		'client/async/clock.ts client/generated/ client/json/numbers.ts',
		'client/json/outsideStrings.ts client/text/',
	],
	sandbox: [
		'sandbox/main.ts',
		'sandbox/index.ts',
		'sandbox/startSandbox.ts',
		'sandbox/sandboxParts.ts',
		'sandbox/v2/ sandbox/v1/ sandbox/router/',
		'sandbox/engine/',
		'sandbox/service/',
		'sandbox/openOrigin.ts sandbox/socket/ sandbox/storage/',
		'sandbox/faults.ts',
		'sandbox/http/',
		'sandbox/types.ts',
		'sandbox/faultTypes.ts sandbox/ledger.ts',
		'sandbox/graphEngine/',
		'sandbox/behaviour.ts sandbox/vocabulary.ts',
		'sandbox/json.ts',
	],
	scripts: ['scripts/*.ts', 'scripts/*/', 'scripts/docs/ scripts/sandboxCredentials.ts', 'scripts/n8nHost/', 'scripts/workers.ts'],
};

/** Of other parts, what each part may import. */
const ENTRY_POINTS = {
	nodes: ['client/index.ts'],
	client: [],
	sandbox: [],
	scripts: ['client/', 'nodes/', 'sandbox/', 'test/', 'package.json', 'gulpfile.js'],
};

/** Only one file of the product imports each of these packages, so that it can be replaced in one place. */
const ONLY_IMPORTER = {
	undici: 'client/transport/undiciDispatcher.ts',
	ws: 'client/transport/webSocket.ts',
	'hash-wasm': 'client/files/contentHash.ts',
	'eventsource-parser': 'client/v2/events.ts',
};

const pattern = (path) => path.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
const patternsIn = (lines) => lines.flatMap((line) => line.split(' ')).map(pattern);
const anyOf = (patterns) => `^(${patterns.join('|')})`;

const forbidden = (name, from, to) => ({ name, severity: 'error', from, to });

const layerRules = Object.entries(LAYERS).flatMap(([part, lines]) =>
	lines.map((line, index) => {
		const lower = patternsIn(lines.slice(index + 1));
		return forbidden(
			`only-lower-layers: ${line}`,
			{ path: anyOf(patternsIn([line])), ...(lower.length > 0 && { pathNot: anyOf(lower) }) },
			{
				dependencyTypesNot: ['npm', 'npm-dev', 'npm-no-pkg', 'core'],
				pathNot: ['^$1', anyOf([...lower, ...ENTRY_POINTS[part].map(pattern)])],
			},
		);
	}),
);

const PARTS = '^(client|credentials|nodes|sandbox|scripts)/';
const ALL_LAYERS = anyOf(patternsIn(Object.values(LAYERS).flat()));

const packageRules = Object.entries(ONLY_IMPORTER).map(([name, importer]) =>
	forbidden(
		`only-importer: ${name}`,
		{ path: '^(client|nodes|credentials)/', pathNot: `^${pattern(importer)}$` },
		{ path: `node_modules/(@types/)?${name}/` },
	),
);

module.exports = {
	forbidden: [
		...layerRules,
		...packageRules,
		forbidden('no-circles', { path: PARTS }, { circular: true }),
		forbidden('in-a-layer: imported', {}, { path: PARTS, pathNot: ALL_LAYERS }),
		forbidden('in-a-layer: importing', { path: PARTS, pathNot: ALL_LAYERS }, {}),
		forbidden('client-without-n8n', { path: '^client/' }, { path: 'node_modules/(n8n-|@n8n/)' }),
	],
	options: {
		doNotFollow: { path: ['node_modules', '^test/', '^dist/'] },
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.json' },
		moduleSystems: ['cjs', 'es6'],
	},
};
