/** A part of the product whose mutants are tested together. */
export interface MutatedModule {
	/** Globs of its sources, without braces: git reads them too. */
	sources: string[];
	/** Globs of the suites that must detect its mutants, below `test/`. */
	suites: string[];
	/** Lowest mutation score that passes, in percent. */
	goal: number;
}

const router = ['acceptedRequest', 'departure', 'ended', 'persist', 'requests', 'retryTable', 'run', 'runQueued'];

export const MODULES: Record<string, MutatedModule> = {
	submission: {
		sources: ['nodes/shared/submission/*.ts', 'nodes/shared/jobs/submit/*.ts'],
		suites: ['nodes/shared/submission*', 'nodes/shared/submission/{retryAfterStop,unconfirmedRetry,crash,crashStops}', 'nodes/submit/*'],
		goal: 90,
	},
	recovery: {
		sources: ['client/lost/*.ts', 'client/engine/earlierPrompts.ts'],
		suites: ['client/lost/*', 'client/engine/earlierPrompts'],
		goal: 90,
	},
	router: {
		sources: router.map((name) => `client/router/${name}.ts`),
		suites: ['client/router/{idempotency,persist,requests,retryTable,runQueued,limits}'],
		goal: 90,
	},
	pace: { sources: ['client/pace/*.ts'], suites: ['client/pace/*'], goal: 90 },
	wait: { sources: ['client/wait/*.ts'], suites: ['client/wait/*'], goal: 80 },
	apps: {
		sources: ['nodes/shared/app/*.ts', 'client/graph/app/*.ts'],
		suites: ['nodes/shared/appFields', 'nodes/run/apps*', 'client/graph/app/*'],
		goal: 80,
	},
	form: { sources: ['client/graph/form/*.ts'], suites: ['client/graph/form'], goal: 80 },
	converter: {
		sources: ['client/graph/convert/**/*.ts'],
		// Without its suite of large and damaged files: for each mutant it takes minutes.
		suites: ['client/graph/convert/!(large)', 'client/graph/convert/widgets/*', 'client/graph/app/*'],
		goal: 80,
	},
	secrets: {
		sources: ['nodes/shared/withoutSecrets.ts', 'client/transport/egress.ts', 'client/transport/linkLocal.ts'],
		suites: ['nodes/shared/withoutSecrets', 'nodes/shared/connect/privateAddresses', 'client/transport/linkLocal'],
		goal: 80,
	},
};
