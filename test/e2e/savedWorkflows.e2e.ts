import sharp from 'sharp';
import { type Execution, itemsOf, readExample } from '../../scripts/n8nHost';
import { savedTextToImage } from '../support/editorGraphs';
import { textToImage } from '../support/stockGraphs';
import { engineRequests, onServer, saveServer } from './support/engine';
import { saveInComfy } from './support/savedWorkflows';
import { openSession, type Session } from './support/session';
import { publish } from './support/triggers';
import { until } from './support/until';
import { chain, items, TRIGGER } from './support/workflows';

const RUN = 'Comfy Run Workflow';
const SAVED_SEED = 156680208700286;

let session: Session;
beforeEach(async () => {
	session = await openSession();
});
afterEach(() => session.close());

type Graph = Record<string, { inputs: Record<string, unknown> }>;

const drawn = (): Graph[] =>
	engineRequests(session, 'POST', '/prompt').map(({ bodyText }) => (JSON.parse(bodyText) as { prompt: Graph }).prompt);

function succeeded(execution: Execution): Execution {
	expect(execution.data.resultData.error).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

const sizeOf = async (file: Buffer): Promise<[number?, number?]> => {
	const { width, height } = await sharp(file).metadata();
	return [width, height];
};

test('a workflow that was saved in ComfyUI runs by its name for three items; what is edited there takes effect', async () => {
	await saveInComfy(session.sandbox.urls.engine, 'portraits/fox.json', savedTextToImage({ width: 256, height: 128 }));
	const credentials = await saveServer(session);
	const run = onServer('comfyRunWorkflow', {
		workflowSource: 'saved',
		savedWorkflow: { __rl: true, mode: 'name', value: 'portraits/fox' },
		inputs: { values: [{ input: { __rl: true, mode: 'name', value: 'Motif · text' }, value: '=fox {{ $json.index }}' }] },
	});
	const flow = chain('Saved workflow, three items', ...items(3), run);
	const execution = succeeded(await session.rest.waitFor(await session.start(flow, TRIGGER, credentials)));
	const made = itemsOf(execution, 'comfyRunWorkflow');
	expect(made).toHaveLength(3);
	expect(await sizeOf(await session.rest.binary(made[0]?.binary?.data?.id ?? 'none'))).toEqual([256, 128]);
	expect(new Set(drawn().map((graph) => graph['6']?.inputs.text))).toEqual(new Set(['fox 0', 'fox 1', 'fox 2']));
	// Read once for all items.
	expect(engineRequests(session, 'GET', '/userdata/workflows%2Fportraits%2Ffox.json')).toHaveLength(1);

	await saveInComfy(session.sandbox.urls.engine, 'portraits/fox.json', savedTextToImage({ width: 64, height: 128 }));
	const again = succeeded(await session.rest.waitFor(await session.start(flow, TRIGGER, credentials)));
	expect(await sizeOf(await session.rest.binary(itemsOf(again, 'comfyRunWorkflow')[0]?.binary?.data?.id ?? 'none'))).toEqual([64, 128]);
});

/** What n8n's page at the end of a form saves in the browser. */
function fileInPage(html: string): Buffer | undefined {
	const written = /JSON\.parse\(decodeURIComponent\("([^"]*)"\)\)/.exec(html)?.[1];
	const [file] = written === undefined ? [] : (JSON.parse(decodeURIComponent(written)) as Array<{ data: { data: number[] } }>);
	return file && Buffer.from(file.data.data);
}

/** A picture of ComfyUI's, as somebody saved it. */
async function aPicture(): Promise<Buffer> {
	const credentials = await saveServer(session);
	const run = onServer('comfyRunWorkflow', { workflowSource: 'json', workflow: JSON.stringify(textToImage) });
	const execution = succeeded(await session.rest.waitFor(await session.start(chain('A picture', ...items(1), run), TRIGGER, credentials)));
	return await session.rest.binary(itemsOf(execution, 'comfyRunWorkflow')[0]?.binary?.data?.id ?? 'none');
}

test('picture-again runs the workflow of a PNG from a form again with another seed', async () => {
	const picture = await aPicture();
	const example = await readExample('picture-again');
	const { webhookId } = example.nodes.find(({ name }) => name === 'Form') as { webhookId?: string };
	const published = await publish(session, example, await saveServer(session));
	const body = new FormData();
	body.set('field-0', new Blob([picture], { type: 'image/png' }), 'fox.png');
	const sent = await fetch(`${session.rest.url}/form/${webhookId}`, { method: 'POST', body });
	const { formWaitingUrl } = (await sent.json()) as { formWaitingUrl: string };
	const asked = new URL(formWaitingUrl);
	asked.pathname += '/n8n-execution-status';
	await until('the end of the form', async () => ((await (await fetch(asked)).text()).trim() === 'form-waiting' ? true : undefined));
	const file = fileInPage(await (await fetch(formWaitingUrl)).text());
	await fetch(formWaitingUrl, { method: 'POST' });
	const [execution] = await published.until(1);
	await published.deactivate();

	const [item] = itemsOf(succeeded(execution as Execution), RUN);
	const [first, again] = drawn();
	expect(first?.['3']?.inputs.seed).toBe(SAVED_SEED);
	expect(again?.['3']?.inputs.seed).not.toBe(SAVED_SEED);
	expect(again).toEqual({ ...first, '3': { ...first?.['3'], inputs: { ...first?.['3']?.inputs, seed: again?.['3']?.inputs.seed } } });
	expect(item?.json.seeds).toEqual({ '3.seed': again?.['3']?.inputs.seed });
	expect(await sizeOf(file ?? Buffer.alloc(0))).toEqual([512, 512]);
});
