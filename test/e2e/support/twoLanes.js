const { basename } = require('node:path');
const Runner = require('jest-runner').default;

/** Suites that start their own n8n and do not use the shared one. */
const WITH_OWN_N8N = ['changedRows', 'communityPackage', 'crashes', 'egress', 'lostServer', 'pool', 'shutdown'];

const hasOwnN8n = ({ path }) => WITH_OWN_N8N.includes(basename(path, '.e2e.ts'));

/** Suites that share one n8n run one after the other. At the same time, those with their own n8n do so in one worker. All of them mostly wait. */
module.exports = class TwoLanes extends Runner {
	async runTests(tests, watcher, { serial }) {
		if (serial) return await super.runTests(tests, watcher, { serial });
		this._globalConfig = { ...this._globalConfig, maxWorkers: 1 };
		await Promise.all([
			super.runTests(
				tests.filter((test) => !hasOwnN8n(test)),
				watcher,
				{ serial: true },
			),
			super.runTests(tests.filter(hasOwnN8n), watcher, { serial: false }),
		]);
	}
};
