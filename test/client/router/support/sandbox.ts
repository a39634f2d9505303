import { connectRouter, type RouterConnection, type RouterSettings } from '../../../../client';
import { useSandbox } from '../../support/sandbox';

export const RUN = 'POST /v2/models/:provider/:model';

/** One sandbox with its router for the tests of a file. */
export function useRouterSandbox(...options: Parameters<typeof useSandbox>) {
	const harness = useSandbox(...options);
	const open: RouterConnection[] = [];
	afterEach(async () => void (await Promise.all(open.splice(0).map((connection) => connection.close()))));
	return {
		get sandbox() {
			return harness.sandbox;
		},
		/** A connection with the API key of account `main`; closed after the test. Pauses are cut to a hundredth. */
		connect: (settings: Partial<RouterSettings> = {}) => {
			const { urls, keys } = harness.sandbox;
			const credential = { kind: 'apiKey', key: keys.apiKey } as const;
			const connection = connectRouter({ baseUrl: urls.router, credential, prefix: '/v2', limits: { pauseScale: 0.01 }, ...settings });
			open.push(connection);
			return connection;
		},
		/** How often a key was billed. */
		billed: (key: string) => harness.sandbox.ledger.routerRuns.filter(({ idempotencyKey }) => idempotencyKey === key).length,
	};
}
