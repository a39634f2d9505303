/** One of the three houses, with a floor for each line, from top to bottom. */
export interface Plan {
	part: string;
	/**
	 * Each line is a floor; the rooms on it stand side by side and do not import one another. A room is a file, or a folder with
	 * all in it that has no line of its own; with `*` each match is a room. Within a room files import freely, never in a circle.
	 */
	floors: string[];
	/** The doors to what this part stands on. */
	doors: string[];
}

export const PLANS: Plan[] = [
	{
		part: 'nodes',
		floors: [
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
			'nodes/shared/credentials.ts nodes/shared/moments.ts nodes/shared/parameters.ts',
			'nodes/shared/itemFault.ts nodes/shared/remember.ts',
			'credentials/Comfy*.credentials.ts',
			'credentials/sharedFields.ts',
			'credentials/defaultAddresses.ts',
		],
		doors: ['client/index.ts'],
	},
	{
		part: 'client',
		floors: [
			'client/index.ts',
			'client/news/',
			'client/findServer.ts client/recognize.ts',
			'client/connect.ts',
			'client/v2/ client/v1/ client/engine/ client/router/',
			'client/wait/ client/lost/ client/pace/',
			'client/list/',
			'client/comfyui/',
			'client/files/',
			'client/assetParts.ts client/connectionParts.ts client/submission.ts',
			'client/identity.ts',
			'client/connection.ts',
			'client/api.ts',
			'client/address.ts',
			'client/graph/',
			'client/transport/',
			'client/ports.ts client/madeBy.ts client/pathSegment.ts',
			'client/decode.ts',
			'client/errors.ts client/observer.ts',
			'client/contentHash.ts client/derivedId.ts client/graphFaults.ts client/idempotencyKey.ts client/job.ts client/nearMatches.ts client/shallow.ts',
			'client/clock.ts client/generated/ client/json/',
			'client/onceFor.ts client/withoutTrailing.ts',
		],
		doors: [],
	},
	{
		part: 'sandbox',
		floors: [
			'sandbox/main.ts',
			'sandbox/commandLine.ts sandbox/describeSandbox.ts sandbox/index.ts',
			'sandbox/startSandbox.ts',
			'sandbox/sandboxControls.ts',
			'sandbox/v2/ sandbox/v1/ sandbox/router/',
			'sandbox/engine/',
			'sandbox/service/',
			'sandbox/openOrigin.ts sandbox/socket/ sandbox/storage/',
			'sandbox/faults/',
			'sandbox/http/',
			'sandbox/store/',
			'sandbox/types.ts',
			'sandbox/fault.ts sandbox/ledger.ts',
			'sandbox/behaviour.ts sandbox/vocabulary.ts',
			'sandbox/graphEngine/',
			'sandbox/records.ts',
			'sandbox/exactJson.ts sandbox/iso.ts',
		],
		doors: [],
	},
];
