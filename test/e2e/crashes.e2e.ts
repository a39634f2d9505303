import { Crash, type Credentials, type Outcome, type Settings } from './support/crash';
import { CRASH_POINTS } from './support/crashPoints';
import { saveServer } from './support/engine';
import { openOwnHost, type OwnHost } from './support/ownHost';

const WITHIN_MS = 10 * 60_000;

const SETTINGS: Settings[] = [
	{ name: 'defaults', workflow: {}, repeatsNodes: true },
	{ name: 'progress saved', workflow: { saveExecutionProgress: true }, repeatsNodes: false },
];

let host: OwnHost;
let credentials: Credentials;
const outcomes: Outcome[] = [];

beforeAll(async () => {
	host = await openOwnHost();
	const { session } = host;
	session.sandbox.configure({ workers: 1000, engineConcurrency: 1000 });
	credentials = {
		hosted: session.credentials,
		selfHosted: session.credentials,
		engine: await saveServer(session),
	};
}, WITHIN_MS);
afterAll(async () => await host.close());

describe.each(SETTINGS)('each execution is retried after n8n is killed with -9 (settings: $name)', (settings) => {
	beforeAll(async () => {
		const crash = new Crash(host, credentials, settings);
		await crash.begin(CRASH_POINTS, SETTINGS.indexOf(settings) * 1000);
		expect(await crash.strayed()).toEqual([]);
		await crash.killAndStart();
		outcomes.push(...(await crash.outcomes()));
	}, WITHIN_MS);

	test.each(CRASH_POINTS)('$name', ({ name, bills = 1, recovered }) => {
		const found = outcomes.find((outcome) => outcome.settings === settings.name && outcome.place === name);
		const executions = found?.executions ?? 0;
		expect(executions).toBeGreaterThan(0);
		expect(found).toMatchObject({
			failures: [],
			billed: bills * executions,
			delivered: executions,
			recovered: recovered(settings) * executions,
		});
	});
});
