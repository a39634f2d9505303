const { sep } = require('node:path');

const Sequencer = require('@jest/test-sequencer').default;

/** By what they took when this was written. */
const LONG = [
	'scripts/live',
	'nodes/shared/files/largeFiles',
	'nodes/shared/items/shutdown',
	'client/wait/shared',
	'client/graph/convert/large',
	'nodes/run/once',
	'nodes/run/batch',
	'nodes/binaryModes/disk',
	'nodes/binaryModes/memory',
	'nodes/submit/once',
	'nodes/shared/connect/waitForServer',
	'nodes/wait/wait',
	'nodes/trigger/engine',
	'client/engine/wait',
	'client/engine/submit',
	'nodes/router/crash',
	'nodes/router/collect',
];

const rank = ({ path }) => {
	const at = LONG.findIndex((name) => path.endsWith(`${name.replaceAll('/', sep)}.test.ts`));
	return at < 0 ? LONG.length : at;
};

/** What takes long begins first, so that no worker ends alone with it. Jest itself knows times only from runs before. */
module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		return super.sort(tests).sort((one, other) => rank(one) - rank(other));
	}
};
