const OneRealm = require('./environment.js');

/**
 * For mutation testing: after the first failed test the mutant is detected, and the remaining tests of its run are skipped.
 * Otherwise a mutant that never answers would let each of its tests wait until its timeout.
 */
let detected;

/** Milliseconds for a test or a hook that runs with a mutant. Without a mutant, the suite's own limits hold. */
const LIMIT = 10_000;
const shorten = (subject) => {
	subject.timeout = Math.min(subject.timeout ?? LIMIT, LIMIT);
};

module.exports = class UntilDetected extends OneRealm {
	static isDetected = () => detected !== undefined && detected === process.env.__STRYKER_ACTIVE_MUTANT__;

	handleTestEvent(event, state) {
		super.handleTestEvent(event, state);
		const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
		if (mutant === undefined) return;
		if (event.name === 'hook_start') shorten(event.hook);
		if (event.name === 'test_start') {
			shorten(event.test);
			if (detected === mutant) event.test.mode = 'skip';
		}
		if (event.name === 'test_done' && event.test.errors.length > 0) detected = mutant;
	}
};
