/** A ComfyUI of the sandbox whose sampler takes a fixed time. */
import { type Sandbox, startSandbox } from '../../../sandbox';
import { type EngineOrder, type EngineReport, type EngineSettings, serve } from '../services';

let sandbox: Sandbox;

async function follow(order: EngineOrder): Promise<EngineReport> {
	if (order === 'kill') {
		await sandbox.stopEngine();
		sandbox.restartEngine();
	}
	if (order === 'start') await sandbox.startEngine();
	return { requests: sandbox.requests(undefined, 'engine').length, runs: sandbox.ledger.runs.length };
}

serve(
	async ({ samplerMs }: EngineSettings) => {
		// The graph of the benchmark has one step.
		sandbox = await startSandbox({ samplerStepMs: samplerMs, engineJobRoutes: true });
		return Number(new URL(sandbox.urls.engine).port);
	},
	async ({ order }: { order: EngineOrder }) => await follow(order),
);
