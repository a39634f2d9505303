/** A part of the product whose mutants are tested together. Its globs have no braces, because git reads them. */
export interface MutatedModule {
	/** Globs of its sources. */
	sources: string[];
	/** Globs of the suites that must detect its mutants, below `test/` and without `.test.ts`. One with a `!` leaves suites out. */
	suites: string[];
	/** Lowest mutation score that passes, in percent. */
	goal: number;
}

const router = ['sendUntilAnswered', 'requests', 'retryTable', 'run', 'runQueued'];

export const MODULES: Record<string, MutatedModule> = {
	submission: {
		sources: ['nodes/shared/submission/*.ts', 'nodes/shared/jobs/submit/*.ts', 'nodes/shared/execution/*.ts'],
		suites: [
			...['submission/*', 'execution/*', 'jobs/submit/*', 'workflows/retries'].map((name) => `nodes/shared/${name}`),
			...['nodes/submit/*', 'nodes/run/poolItems', 'nodes/run/runAgain', 'nodes/run/seeds', 'nodes/wait/runAgain'],
		],
		goal: 90,
	},
	recovery: {
		sources: ['client/recovery/*.ts', 'client/engine/earlierPrompts.ts'],
		suites: ['client/recovery/*', 'client/engine/earlierPrompts'],
		goal: 90,
	},
	router: {
		sources: router.map((name) => `client/router/${name}.ts`),
		suites: ['idempotency', 'sendUntilAnswered', 'requests', 'retryTable', 'runQueued', 'runQueuedStops', 'limits', 'output'].map(
			(name) => `client/router/${name}`,
		),
		goal: 90,
	},
	concurrency: { sources: ['client/concurrency/*.ts'], suites: ['client/concurrency/*'], goal: 90 },
	wait: { sources: ['client/wait/*.ts'], suites: ['client/wait/*'], goal: 80 },
	apps: {
		sources: ['nodes/shared/app/*.ts', 'client/graph/app/*.ts'],
		suites: ['nodes/shared/app/*', 'nodes/run/apps*', 'client/graph/app/*'],
		goal: 80,
	},
	inputs: { sources: ['client/graph/inputs/*.ts'], suites: ['client/graph/inputs/*'], goal: 80 },
	converter: {
		sources: ['client/graph/convert/**/*.ts'],
		// Without its suite of large and damaged files: for each mutant it takes minutes.
		suites: ['client/graph/convert/**', '!client/graph/convert/large', 'client/graph/app/*'],
		goal: 80,
	},
	secrets: {
		sources: ['nodes/shared/withoutSecrets.ts', 'client/transport/outboundNetwork.ts'],
		suites: ['nodes/shared/withoutSecrets', 'nodes/shared/connect/privateAddresses', 'client/transport/outboundNetwork'],
		goal: 80,
	},
};
