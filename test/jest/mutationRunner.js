const { default: Runner } = require('jest-runner');

const UntilDetected = require('./mutationEnvironment.js');

/** For mutation testing: the suite that took the least time comes first, and none is loaded for a mutant that is detected. */
module.exports = class QuickestFirst extends Runner {
	async runTests(tests, watcher, options) {
		for (const test of [...tests].sort((one, other) => (one.duration ?? 0) - (other.duration ?? 0))) {
			if (!UntilDetected.isDetected()) await super.runTests([test], watcher, options);
		}
	}
};
