const OneRealm = require('./environment.js');

/**
 * For mutation testing: after the first failed test the mutant is detected, and the remaining tests of its run are skipped.
 * Otherwise a mutant that never answers would let each of its tests wait until its timeout.
 */
let detected;

module.exports = class UntilDetected extends OneRealm {
	static isDetected = () => detected !== undefined && detected === process.env.__STRYKER_ACTIVE_MUTANT__;

	handleTestEvent(event, state) {
		super.handleTestEvent(event, state);
		const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
		if (mutant === undefined) return;
		if (event.name === 'test_start' && detected === mutant) event.test.mode = 'skip';
		if (event.name === 'test_done' && event.test.errors.length > 0) detected = mutant;
	}
};
