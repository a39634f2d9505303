import { type Execution, itemsOf, readExample, type SavedCredential, type WorkflowDocument } from '../../../scripts/n8nHost/documents';
import { engineRequests, saveServer, submitToEngine } from '../support/engine';
import { nodeOf, succeeded } from '../support/exampleRuns';
import { slowFor } from '../support/graphs';
import { type Machine, openMachine } from '../support/machine';
import { openSession, type Session } from '../support/session';
import { until } from '../support/until';

const RUN = 'Comfy Run Workflow';
const WAIT = 'Wait Before Next Check';

let session: Session;
let machine: Machine;
let credentials: SavedCredential[];
beforeEach(async () => {
	session = await openSession();
	machine = await openMachine(session.sandbox.urls.engine);
	credentials = await saveServer(session, { baseUrl: machine.url });
});
afterEach(async () => {
	await machine.close();
	await session.close();
});

async function readRecipe(): Promise<WorkflowDocument> {
	const recipe = await readExample('wake-a-gpu');
	nodeOf(recipe, 'Start GPU').parameters.url = machine.startUrl;
	nodeOf(recipe, 'Stop GPU').parameters.url = machine.stopUrl;
	nodeOf(recipe, WAIT).parameters = { amount: 1, unit: 'seconds' };
	return recipe;
}

const start = async (recipe: WorkflowDocument): Promise<string> => await session.start(recipe, 'Start', credentials);

const countRuns = ({ data }: Execution, node: string): number => data.resultData.runData[node]?.length ?? 0;

test('starts the machine, waits for ComfyUI, returns both images, and stops the machine after the last job', async () => {
	const execution = succeeded(await session.rest.waitFor(await start(await readRecipe())));
	expect(itemsOf(execution, RUN).map(({ json }) => [json.status, String(json.name).split('_')[0]])).toEqual([
		['succeeded', 'night-red'],
		['succeeded', 'night-blue'],
	]);
	expect(session.sandbox.ledger.runs).toHaveLength(2);
	expect([machine.calls, countRuns(execution, WAIT)]).toEqual([['POST /start', 'POST /stop'], 0]);
	await expect(fetch(machine.url)).rejects.toThrow('fetch failed');
});

test('does not stop the machine while ComfyUI has a job of another program', async () => {
	const { sandbox } = session;
	sandbox.configure({ gateOpen: false });
	const recipe = await readRecipe();
	const run = nodeOf(recipe, RUN).parameters;
	const graph = JSON.parse(String(run.workflow)) as Record<string, { class_type: string; inputs: Record<string, unknown> }>;
	graph.gate = { class_type: 'SandboxGate', inputs: { image: ['1', 0] } };
	graph['2']!.inputs.images = ['gate', 0];
	run.workflow = JSON.stringify(graph);
	const id = await start(recipe);
	await until('both jobs', () => (engineRequests(session, 'POST', '/prompt').length === 2 ? true : undefined));
	// It runs after both jobs, and longer than the workflow needs for its first check.
	await submitToEngine(session, slowFor(6_000));
	sandbox.configure({ gateOpen: true });
	const execution = succeeded(await session.rest.waitFor(id));
	expect(countRuns(execution, WAIT)).toBeGreaterThan(0);
	expect([sandbox.ledger.runs.length, machine.calls]).toEqual([3, ['POST /start', 'POST /stop']]);
});

test('stops the machine after a failed job, whose item contains the error, and keeps the image of the other one', async () => {
	const recipe = await readRecipe();
	const images = [
		{ name: 'night-red', color: -5 },
		{ name: 'night-blue', color: 3368652 },
	];
	nodeOf(recipe, 'Images').parameters.jsonOutput = JSON.stringify({ images });
	const execution = succeeded(await session.rest.waitFor(await start(recipe)));
	expect(itemsOf(execution, RUN).map(({ json }) => [json.status, typeof json.error])).toEqual([
		[undefined, 'string'],
		['succeeded', 'undefined'],
	]);
	expect(machine.calls).toEqual(['POST /start', 'POST /stop']);
});
