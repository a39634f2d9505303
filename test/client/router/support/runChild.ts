/** A process that runs a model once and prints what it got: to be ended in the middle, and started anew. */
import { connectRouter } from '../../../../client';

export interface RunOrder {
	baseUrl: string;
	key: string;
	model: string;
	idempotencyKey: string;
	input: Record<string, unknown>;
}

async function main(): Promise<void> {
	const { baseUrl, key, model, idempotencyKey, input } = JSON.parse(process.argv[2] ?? '') as RunOrder;
	const { router, close } = connectRouter({ baseUrl, credential: { kind: 'apiKey', key } });
	const { facts, output } = await router.run(model, input, { idempotencyKey, maxWaitMs: 20_000 });
	await close();
	process.stdout.write(JSON.stringify({ facts, output }));
}

void main();
