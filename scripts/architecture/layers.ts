/** The layers of one part of the project. */
export interface Plan {
	part: string;
	/**
	 * From top to bottom, one line each. The modules of one line do not import each other. A module is a file, or a folder with
	 * everything in it that has no entry of its own. With `*`, each match is a module. Files of one module may import each other,
	 * but not in a circle.
	 */
	layers: string[];
	/** The only files outside this part that it may import. */
	entryPoints: string[];
}

export const PLANS: Plan[] = [
	{
		part: 'nodes',
		layers: [
			'nodes/Comfy*/',
			'nodes/shared/listSearch/',
			'nodes/shared/jobs/',
			'nodes/shared/app/',
			'nodes/shared/inputFiles/',
			'nodes/shared/workflows/',
			'nodes/shared/inputs/ nodes/shared/items/',
			'nodes/shared/connect/ nodes/shared/submission/',
			'nodes/shared/debugLog.ts nodes/shared/descriptions/ nodes/shared/nodeErrors.ts',
			'nodes/shared/messages/',
			'nodes/shared/execution/ nodes/shared/files/ nodes/shared/operation.ts',
			'nodes/shared/withoutSecrets.ts',
			'nodes/shared/credentials.ts nodes/shared/dates.ts nodes/shared/hints.ts nodes/shared/parameters.ts',
			'nodes/shared/moreServers.ts',
			'nodes/shared/signIn.ts',
			'nodes/shared/caches.ts nodes/shared/itemFault.ts nodes/shared/itemProgress.ts',
			'credentials/Comfy*.credentials.ts',
			'credentials/moreServersFields.ts credentials/sharedFields.ts credentials/signInFields.ts',
			'credentials/defaultAddresses.ts',
		],
		entryPoints: ['client/index.ts'],
	},
	{
		part: 'client',
		layers: [
			'client/index.ts',
			'client/events/',
			'client/pool/',
			'client/findServer.ts client/recognize.ts',
			'client/connect.ts',
			'client/v2/ client/v1/ client/engine/ client/router/',
			'client/concurrency/ client/recovery/ client/wait/',
			'client/list/',
			'client/comfyui/',
			'client/files/',
			'client/connectionParts.ts client/freeMemory.ts client/submission.ts',
			'client/connection.ts',
			'client/api.ts',
			'client/address.ts',
			'client/graph/',
			'client/transport/',
			'client/contact/',
			'client/transport/delay.ts',
			'client/transport/abort.ts client/transport/outcome.ts',
			'client/assetPorts.ts client/serverPorts.ts client/madeBy.ts client/identifiers.ts',
			'client/ports.ts',
			'client/decode.ts',
			'client/errors.ts client/observer.ts',
			'client/contentHash.ts client/graphFaults.ts client/job.ts client/ttlCache.ts',
			'client/clock.ts client/generated/ client/json/',
			'client/sharedRead.ts client/text.ts',
		],
		entryPoints: [],
	},
	{
		part: 'sandbox',
		layers: [
			'sandbox/main.ts',
			'sandbox/index.ts',
			'sandbox/startSandbox.ts',
			'sandbox/sandboxControls.ts',
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
		entryPoints: [],
	},
];

export interface Module {
	/** The part of the path that the plan names: a file, or a folder with `/` at its end. */
	path: string;
	/** Index of its layer; the top layer is 0. */
	layer: number;
}

/** The beginning of `file` that matches the pattern: the whole path for a file, the folder for a folder. */
function matchPattern(file: string, pattern: string): string | undefined {
	const exact = pattern.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '[^/]*');
	return new RegExp(`^${exact}${pattern.endsWith('/') ? '' : '$'}`).exec(file)?.[0];
}

const patternsIn = ({ layers }: Plan): string[] => layers.flatMap((line) => line.split(' '));

/** The top folders that a plan covers. */
export const foldersOf = (plan: Plan): string[] => [...new Set(patternsIn(plan).map((pattern) => pattern.slice(0, pattern.indexOf('/'))))];

/** Entries of the plan that no file matches. */
export const findEmptyModules = (files: readonly string[], plan: Plan): string[] =>
	patternsIn(plan).filter((pattern) => !files.some((file) => matchPattern(file, pattern) !== undefined));

/** The innermost module that contains the file. */
export function moduleOf(file: string, { layers }: Plan): Module | undefined {
	const modules = layers.flatMap((line, layer) =>
		line.split(' ').flatMap((pattern) => {
			const path = matchPattern(file, pattern);
			return path === undefined ? [] : [{ path, layer }];
		}),
	);
	return modules.sort((left, right) => right.path.length - left.path.length)[0];
}
