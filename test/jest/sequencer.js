const { sep } = require('node:path');

const Sequencer = require('@jest/test-sequencer').default;

/** Suites that take long, longest first. */
const LONG = [
	'nodes/shared/files/largeFiles',
	'scripts/live',
	'nodes/shared/items/shutdown',
	'faults/matrix',
	'nodes/shared/connect/waitForServer',
	'client/graph/convert/large',
	'package/patterns',
	'nodes/manageJobs/pool',
	'client/pool/runningJobs',
	'nodes/run/lostServer',
	'nodes/run/batch',
	'nodes/shared/workflows/retries',
	'nodes/router/secrets',
	'package/scanner',
	'nodes/binaryModes/database',
	'nodes/submit/once',
	'nodes/shared/secrets',
	'nodes/shared/debugLog/decisions',
	'client/pool/lostServers',
	'nodes/binaryModes/memory',
	'nodes/run/files',
	'contract/answers',
	'nodes/binaryModes/disk',
	'nodes/run/once',
	'nodes/trigger/engine',
	'nodes/shared/submission/stops',
	'nodes/wait/wait',
	'nodes/run/tool',
	'nodes/shared/submission/recovered',
	'nodes/router/shutdown',
];

const rank = ({ path }) => {
	const at = LONG.findIndex((name) => path.endsWith(`${name.replaceAll('/', sep)}.test.ts`));
	return at < 0 ? LONG.length : at;
};

/** Starts long suites first, so that no worker ends alone with one. Jest itself knows durations only from earlier runs. */
module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		return super.sort(tests).sort((one, other) => rank(one) - rank(other));
	}
};
