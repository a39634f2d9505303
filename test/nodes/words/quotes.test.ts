import { runNode } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { submitRun } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const PROMPT = 'a "red" fox,\nrunning';
const submit = async (inputValues: string, workflow: unknown = colorGraph(1)) =>
	await runNode(
		submitRun(credentialFor(sandbox), workflow, { parameters: { options: { inputValues } }, items: [{ json: { prompt: PROMPT } }] }),
	);

describe('a prompt with quotes and line breaks', () => {
	it('E3: put into Input Values by an expression says that it holds them; what the advice says to write works', async () => {
		const { error } = await submit('={"2": {"filename_prefix": "{{ $json.prompt }}"}}');
		expect(error?.message).toMatch(/^Input Values cannot be used/);
		expect(error?.description).toMatch(/holds quotes or line breaks/);
		expect(error?.description).not.toMatch(/[<>]/);

		const [, advised = ''] = /: (\{"6": .*\})\.$/.exec(String(error?.description)) ?? [];
		const { status, outputs } = await submit(`=${advised.replace('"6"', '"2"').replace('"text"', '"filename_prefix"')}`);
		expect(status).toBe('success');
		expect(sandbox.job(String(outputs[0]?.[0]?.json.job_id))?.graph).toMatchObject({ 2: { inputs: { filename_prefix: PROMPT } } });
	});

	it('E3: put into Workflow by an expression says that it holds them', async () => {
		const { error } = await submit('{}', `=${JSON.stringify(colorGraph(2)).replace('"color"', '"{{ $json.prompt }}"')}`);
		expect(error?.message).toMatch(/^Workflow is not readable JSON/);
		expect(error?.description).toMatch(/holds quotes or line breaks/);
	});
});
