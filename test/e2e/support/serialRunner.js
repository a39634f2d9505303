const Runner = require('jest-runner').default;

/** One suite after the other, however many workers there are: they share one n8n. */
module.exports = class SerialRunner extends Runner {
	isSerial = true;
};
