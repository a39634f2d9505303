import type { IDataObject } from 'n8n-workflow';
import sharp from 'sharp';

import type { ApiGraph } from '../../../client';
import type { Behaviour, FaultAnswer, Sandbox } from '../../../sandbox';
import { picture } from '../../client/support/pictures';
import type { NodeRun } from '../../nodes/support/engine';
import { fileItem } from '../../nodes/support/files';
import { credentialFor, type Way as Flavour } from '../../nodes/support/flavours';
import { byId, routerCredential, routerRun, RUNS } from '../../nodes/support/router';
import { runRun } from '../../nodes/support/run';
import { membersOf } from '../../support/sandboxPool';
import type { DeliveredItem } from './n8nChild';

/** How n8n has something made, from before it sends anything until it has the files. */
export interface Way {
	name: string;
	behaviour: Partial<Behaviour>;
	/** The way is a pool of so many engines. */
	servers?: number;
	/** The request that is billed, as the sandbox names routes. */
	submission: string;
	/** By which it is refused for good, and billed nothing. */
	refusal: FaultAnswer;
	run(sandbox: Sandbox): Promise<NodeRun>;
	/** What a bill would be written from, one entry for each job or run. */
	billed(sandbox: Sandbox): string[];
	/** Of each item, in their order: what it has brought, to be compared with what is wanted. */
	brought(items: DeliveredItem[]): Promise<unknown[]>;
	wanted: unknown[];
}

const COLOR = 0x4070a0;
const STEPS = 4;
const STEP_MS = 60;

const graph: ApiGraph = {
	'1': { class_type: 'LoadImage', _meta: { title: 'Picture' }, inputs: { image: 'picture.png' } },
	'2': { class_type: 'SandboxSampler', inputs: { image: ['1', 0], steps: STEPS, step_ms: STEP_MS, seed: 1 } },
	'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'kill' } },
};

const files = { values: [{ input: { mode: 'name', value: '1.image' }, from: 'binary', binaryPropertyName: 'data' }] };

const colorIn = async (file: Buffer): Promise<number> => (await sharp(file).removeAlpha().raw().toBuffer()).readUIntBE(0, 3);

const made = (name: string, flavour: Flavour, own: Pick<Way, 'submission' | 'refusal'> & Partial<Way>): Way => ({
	name,
	behaviour: {},
	run: async (sandbox) =>
		runRun(credentialFor(sandbox, flavour), graph, { items: [fileItem(await picture(COLOR, 64))], parameters: { files } }),
	billed: ({ ledger }) => ledger.runs.map(({ jobId }) => jobId),
	brought: async (items) => await Promise.all(items.map(async ({ file }) => (file === undefined ? 'no file' : await colorIn(file)))),
	wanted: [COLOR],
	...own,
});

const V2 = { submission: 'POST /api/v2/jobs', refusal: { status: 402, code: 'insufficient_credits' } };
const V1 = { submission: 'POST /api/prompt', refusal: { status: 413 } };

const SLOW_MS = 300;
const SIDE = 32;

const routed = (delivery: 'synchronous' | 'queued', submission: string): Way => ({
	name: delivery === 'queued' ? 'router queued' : 'router direct',
	behaviour: { routerRetryAfterSeconds: 1 },
	submission,
	refusal: { status: 402, code: 'insufficient_credits' },
	run: async (sandbox) =>
		await Promise.resolve(
			routerRun(routerCredential(sandbox), 'model:run', '', {
				items: [
					{ json: { model: 'lab/slow', input: { ms: SLOW_MS, note: 'kill' } } },
					{ json: { model: 'aurora/image-2', input: { prompt: 'kill', seed: 5, size: { width: SIDE, height: SIDE } } } },
				],
				parameters: {
					model: byId('={{ $json.model }}'),
					inputMode: 'json',
					inputJson: '={{ $json.input }}',
					maxWaitMinutes: 5,
					delivery,
					options: { concurrency: 1 },
				},
			}),
		),
	billed: ({ ledger }) => ledger.routerRuns.map(({ idempotencyKey }) => String(idempotencyKey)),
	brought: async ([slow, image]) => [
		(slow?.json.output as IDataObject | undefined)?.note,
		image?.file === undefined ? 'no file' : (await sharp(image.file).metadata()).width,
	],
	wanted: ['kill', SIDE],
});

export const WAYS: Way[] = [
	made('v2', 'hosted', V2),
	made('deployment', 'deployment', V2),
	made('v1', 'v1', V1),
	made('engine', 'engine', { ...V1, behaviour: { engineJobRoutes: true } }),
	made('older engine', 'bare_engine', {
		...V1,
		behaviour: { engineJobRoutes: false, enginePromptIds: 'own', engineInterrupt: 'whatever_runs' },
	}),
	made('pool', 'bare_engine', {
		...V1,
		behaviour: { engineJobRoutes: true },
		servers: 3,
		run: async (sandbox) => {
			const [, ...others] = membersOf(sandbox).map(({ urls }) => urls.engine);
			const credential = credentialFor(sandbox, 'bare_engine', { moreServers: others.join('\n') });
			return runRun(credential, graph, { items: [fileItem(await picture(COLOR, 64))], parameters: { files } });
		},
	}),
	routed('synchronous', RUNS),
	routed('queued', `${RUNS}/requests`),
];
