import { ResultCache } from './resultCache';
import { runGraph } from './runGraph';
import type { GraphEngine, GraphEngineOptions } from './types';
import { validateGraph } from './validateGraph';

export type * from './types';
export { nodeDefinition, nodeDefinitions } from './definitions';
export { executionOrder, outputNodeIds } from './executionOrder';
export { resultKey } from './resultKeys';

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

/** An engine that executes image graphs in this process, with a memory of earlier results. */
export function createGraphEngine(options: GraphEngineOptions = {}): GraphEngine {
	const cache = new ResultCache(options.cacheBytes ?? DEFAULT_CACHE_BYTES);
	return {
		validate: validateGraph,
		run: async (run) => await runGraph({ samplerStepMs: options.samplerStepMs?.() ?? 0, ...run }, cache),
	};
}
