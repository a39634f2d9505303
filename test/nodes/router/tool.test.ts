import { runNode } from '../support/engine';
import { jsonRun, routerCredential, routerRun } from '../support/router';
import { jsons } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

it('an agent always gets JSON, for a file as well', async () => {
	const run = jsonRun(routerCredential(sandbox), 'lab/speech', { text: 'Hello' }, { asTool: true });
	const { outputs } = await runNode(run);
	expect(outputs[0]?.[0]?.json).toMatchObject({ model: 'lab/speech', files: [{ binary_field: 'data', file_name: 'speech.wav' }] });
});

it('an agent that asks twice for the same in one run pays once', async () => {
	const run = jsonRun(routerCredential(sandbox), 'lab/free', { prompt: 'x' }, { asTool: true });
	const first = await runNode(run);
	const contextData = JSON.parse(JSON.stringify(first.contextData)) as typeof first.contextData;
	expect(jsons(await runNode({ ...run, contextData }))).toMatchObject([{ replayed: true }]);
});

it('an agent sees the models', async () => {
	const many = await runNode(routerRun(routerCredential(sandbox), 'model:getAll', '', { asTool: true, parameters: { limit: 2 } }));
	expect(jsons(many)).toMatchObject([{ id: expect.any(String) }, { id: expect.any(String) }]);
});
