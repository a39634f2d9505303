import { connect, type ServerConnection, type ConnectSettings } from '../../../client';
import { startSandbox, type Sandbox, type SandboxOptions, type ServiceSurface } from '../../../sandbox';

export interface SandboxHarness {
	readonly sandbox: Sandbox;
	/** A connection with the key of account `main`; closed after the test. */
	connect(surface?: ServiceSurface, settings?: Partial<ConnectSettings>): ServerConnection;
	/** The same over the v1 interface of the hosted surface. */
	connectV1(settings?: Partial<ConnectSettings>): ServerConnection;
}

/** One sandbox for the tests of a file. Faults and records are reset before each test. */
export function useSandbox(options: SandboxOptions = {}): SandboxHarness {
	let running: Sandbox | undefined;
	const connections: ServerConnection[] = [];
	const sandbox = (): Sandbox => {
		if (!running) throw new Error('The sandbox has not started');
		return running;
	};
	beforeAll(async () => {
		running = await startSandbox(options);
	});
	beforeEach(() => sandbox().resetRecords());
	afterEach(async () => {
		sandbox().clearFaults();
		await Promise.all(connections.splice(0).map((connection) => connection.close()));
	});
	afterAll(async () => await running?.close());
	const open: SandboxHarness['connect'] = (surface = 'hosted', settings = {}) => {
		const connection = connect({ interface: 'v2', ...accessTo(sandbox(), surface), ...settings });
		connections.push(connection);
		return connection;
	};
	return {
		get sandbox() {
			return sandbox();
		},
		connect: open,
		connectV1: (settings) => open('hosted', { interface: 'v1', ...settings }),
	};
}

export function accessTo({ urls, keys }: Sandbox, surface: ServiceSurface): { baseUrl: string; token?: string } {
	switch (surface) {
		case 'self_hosted':
			return { baseUrl: urls.self_hosted };
		case 'self_hosted_token':
			return { baseUrl: urls.self_hosted_token_url, token: keys.bearer };
		default:
			return { baseUrl: urls[surface], token: keys.apiKey };
	}
}
