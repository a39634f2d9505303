import type { IDataObject } from 'n8n-workflow';

import { until } from '../../../support/until';
import { editorContext } from '../../support/editor';
import { type Credential, nodes, runNode } from '../../support/engine';
import { testCredential } from '../../support/credentialTest';
import { credentialFor, type Way } from '../../support/flavours';
import { manageRun } from '../../support/manage';
import { sharedSandbox } from '../../support/sandbox';
import { jsons, submitRun } from '../../support/submit';
import { colorGraph } from '../../support/graphs';
import { startTrigger } from '../../trigger/support/trigger';
import { deliver } from '../../trigger/support/scene';

const sandbox = sharedSandbox();

const USERS = { 'ann-smith_1': 'Ann Smith', bob_2: 'Bob' };
beforeAll(() => {
	sandbox.saveWorkflow('of ann.json', { nodes: [] }, { user: 'ann-smith_1' });
	sandbox.saveWorkflow('of bob.json', { nodes: [] }, { user: 'bob_2' });
});
beforeEach(() => sandbox.configure({ engineUsers: USERS }));

const as = (comfyUser: string, way: Way = 'bare_engine', more: IDataObject = {}): Credential =>
	credentialFor(sandbox, way, { token: '', signIn: 'comfyUser', comfyUser, ...more });
const savedOf = async (credential: Credential) =>
	await runNode(manageRun(credential, 'workflow:getAll', { parameters: {}, settings: { onError: 'stopWorkflow' } }));

describe('a ComfyUI user', () => {
	it.each<[string, Way, string]>([
		['Ann Smith', 'bare_engine', 'of ann'],
		['Bob', 'self_hosted', 'of bob'],
		['bob_2', 'engine', 'of bob'],
	])('%j sees the own saved workflows (%s)', async (user, way, name) => {
		expect(jsons(await savedOf(as(user, way))).map((item) => item.name)).toEqual([name]);
	});

	it('sees them in the list of the editor', async () => {
		const context = editorContext('comfyRunWorkflow', {}, as('Ann Smith'));
		const { results } = await nodes.comfyRunWorkflow.methods.listSearch.searchSavedWorkflows.call(context);
		expect(results[0]).toMatchObject({ value: 'of ann.json' });
		expect(JSON.stringify(results)).not.toContain('of bob');
	});

	it.each(['automatic', 'engine'] as const)('runs a workflow with Interface %s', async (chosen) => {
		const result = await runNode(submitRun({ ...as('Ann Smith'), interface: chosen }, colorGraph(1)));
		expect(result.error).toBeUndefined();
		const sent = sandbox.requests('POST /api/prompt', 'engine').map(({ headers }) => headers['comfy-user']);
		expect(sent).toEqual(['ann-smith_1']);
	});

	it.each(['automatic', 'engine'] as const)('who does not exist is reported with all users (Interface %s)', async (chosen) => {
		const { error } = await runNode(submitRun({ ...as('Zoe'), interface: chosen }, colorGraph(1)));
		expect(error?.message).toBe('ComfyUI does not have the user "Zoe"');
		expect(error?.description).toMatch(/ComfyUI User in the Comfy Self-Hosted API credential: Ann Smith, Bob\.$/m);
		expect(sandbox.requests('POST /api/prompt')).toEqual([]);
	});

	it('with a name that two users have is reported with their ids', async () => {
		sandbox.configure({ engineUsers: { ann_1: 'Ann', ann_2: 'Ann' } });
		const { error } = await savedOf(as('Ann'));
		expect(error?.message).toBe('ComfyUI has 2 users with the name "Ann"');
		expect(error?.description).toMatch(/Enter the ID of one of them.*\n.*ann_1, ann_2/);
	});

	it.each([
		['without users', null, /was started without --multi-user/, /set Sign-In in the Comfy Self-Hosted API credential to None/],
		['with an empty list of users', {}, /does not have the user "Ann"/, /create one/],
	])('of a ComfyUI %s is reported', async (_, engineUsers, message, advice) => {
		sandbox.configure({ engineUsers });
		const { error } = await savedOf(as('Ann'));
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(advice);
	});
});

describe('the test of a credential with a ComfyUI user', () => {
	it('succeeds for a user, and names the users for another one', async () => {
		expect(await testCredential(as('Bob'))).toMatchObject({ status: 'OK' });
		expect(await testCredential(as('Zoe'))).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^ComfyUI does not have the user "Zoe"\. .*: Ann Smith, Bob\.$/) as string,
		});
	});
});

it('a trigger reports a ComfyUI user who does not exist, and goes on to try', async () => {
	const parameters = deliver('onlyWhenFinished', { source: 'engine' });
	await expect(startTrigger({ ...parameters, mode: 'manual', credential: as('Zoe') })).rejects.toThrow(/does not have the user "Zoe"/);
	const trigger = await startTrigger({ ...parameters, credential: as('Zoe') });
	await until(() => trigger.failures.length > 0);
	await trigger.close();
	expect(trigger.failures[0]).toMatchObject({ message: 'ComfyUI does not have the user "Zoe"' });
});
