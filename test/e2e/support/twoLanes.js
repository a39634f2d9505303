const { basename } = require('node:path');
const Runner = require('jest-runner').default;

/** Suites that start their own n8n several times. They take about as long as all others together. */
const WITH_RESTARTS = ['changedRows', 'crashes', 'install', 'managedPackages', 'pool', 'shutdown'];

const hasRestarts = ({ path }) => WITH_RESTARTS.includes(basename(path, '.e2e.ts'));

/** Suites that share one n8n run one after the other. At the same time, those that restart their own n8n do so in one worker. All of them mostly wait. */
module.exports = class TwoLanes extends Runner {
	async runTests(tests, watcher, { serial }) {
		if (serial) return await super.runTests(tests, watcher, { serial });
		this._globalConfig = { ...this._globalConfig, maxWorkers: 1 };
		await Promise.all([
			super.runTests(
				tests.filter((test) => !hasRestarts(test)),
				watcher,
				{ serial: true },
			),
			super.runTests(tests.filter(hasRestarts), watcher, { serial: false }),
		]);
	}
};
