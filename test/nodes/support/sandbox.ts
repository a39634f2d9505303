import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox';
import { DEFAULT_BEHAVIOUR } from '../../../sandbox/behaviour';

/** Reads the sandbox that runs when a member is used, so that a suite can name it before it starts. */
const toRunning = (running: () => Sandbox | undefined): Sandbox =>
	new Proxy({} as Sandbox, {
		get: (_, member) => {
			const sandbox = running();
			if (sandbox === undefined) throw new Error('The sandbox has not started');
			return sandbox[member as keyof Sandbox];
		},
	});

/**
 * One sandbox for all tests of the suite. Jobs and files stay; records, faults, behaviour, limits and the test's spies are
 * reset before each test.
 */
export function sharedSandbox(options: SandboxOptions = {}): Sandbox {
	let running: Sandbox | undefined;
	const sandbox = toRunning(() => running);
	beforeAll(async () => void (running = await startSandbox(options)));
	beforeEach(() => {
		sandbox.clearFaults();
		sandbox.configure({ ...DEFAULT_BEHAVIOUR, ...options });
		sandbox.setQueueLimit(Infinity);
		sandbox.setSpendLimit('main', null);
		sandbox.resetRecords();
	});
	afterEach(() => jest.restoreAllMocks());
	afterAll(async () => await running?.close());
	return sandbox;
}

/** A new sandbox for each test. */
export function freshSandbox(options: SandboxOptions = {}): Sandbox {
	let running: Sandbox | undefined;
	beforeEach(async () => void (running = await startSandbox(options)));
	afterEach(async () => {
		jest.restoreAllMocks();
		await running?.close();
	});
	return toRunning(() => running);
}
