import type { IDataObject } from 'n8n-workflow';

import { deadOrigin } from '../../../client/support/deadOrigin';
import { editorContext } from '../../support/editor';
import { type Credential, nodes, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { manageRun } from '../../support/manage';
import { sharedSandbox } from '../../support/sandbox';
import { jsons, submitRun } from '../../support/submit';

const [first, second] = [sharedSandbox(), sharedSandbox()];
beforeAll(() => {
	first.saveWorkflow('on the first.json', colorGraph(1));
	second.saveWorkflow('on the second.json', colorGraph(2));
});

const poolOf = (fields: IDataObject = {}, chosen?: Credential['interface']): Credential => ({
	...credentialFor(first, 'bare_engine', { token: '', hasMoreServers: true, moreServers: second.urls.engine, ...fields }),
	...(chosen && { interface: chosen }),
});

const AT_ONCE = { parameters: { options: { keepTryingForSeconds: 0, waitForServerMinutes: 0 } } };
const prompts = () => [first, second].map((sandbox) => sandbox.requests('POST /api/prompt', 'engine').length);

describe('a credential with several ComfyUIs', () => {
	it.each(['automatic', 'engine'] as const)('divides the jobs of one run among them (Interface %s)', async (chosen) => {
		const items = [1, 2, 3, 4].map(() => ({ json: {} }));
		const result = await runNode(submitRun(poolOf({}, chosen), colorGraph(3), { items }));
		expect(jsons(result).map((item) => item.interface)).toEqual(['engine', 'engine', 'engine', 'engine']);
		expect(Math.min(...prompts())).toBeGreaterThan(0);
		expect(prompts().reduce((sum, count) => sum + count)).toBe(4);
	});

	it('sends nothing with the Interface v2, and names what to change', async () => {
		const { error } = await runNode(submitRun(poolOf({}, 'v2'), colorGraph(3)));
		expect(error?.message).toMatch(/^Interface is v2, but the credential contains several ComfyUIs/);
		expect([...first.requests(), ...second.requests()]).toEqual([]);
	});

	it('lists the saved workflows of all servers', async () => {
		const result = await runNode(manageRun(poolOf(), 'workflow:getAll', { parameters: {} }));
		expect(jsons(result).map((item) => item.name)).toEqual(expect.arrayContaining(['on the first', 'on the second']));
	});

	it('shows them in the list of the editor, also if a server does not respond', async () => {
		const context = editorContext('comfyRunWorkflow', {}, poolOf({ moreServers: `${await deadOrigin()}\n${second.urls.engine}` }));
		const { results } = await nodes.comfyRunWorkflow.methods.listSearch.searchSavedWorkflows.call(context);
		expect(results.map(({ value }) => value)).toEqual(expect.arrayContaining(['on the first.json', 'on the second.json']));
	});

	it('runs a saved workflow of any server', async () => {
		const parameters = { workflowSource: 'saved', savedWorkflow: { __rl: true, mode: 'list', value: 'on the second.json' } };
		const result = await runNode(submitRun(poolOf(), undefined, { parameters }));
		expect(result.error?.message).toBeUndefined();
		expect(prompts().reduce((sum, count) => sum + count)).toBe(1);
	});

	it('reports each address with its field if no server responds', async () => {
		const [one, other] = [await deadOrigin(), await deadOrigin()];
		const { error } = await runNode(submitRun(poolOf({ baseUrl: one, moreServers: other }), colorGraph(3), AT_ONCE));
		expect(error?.message).toContain(`The server at ${one} cannot be reached: the connection was refused (Address)`);
		expect(error?.message).toContain(`The server at ${other} cannot be reached: the connection was refused (line 1 of More Servers)`);
	});
});
