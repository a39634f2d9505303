import { setTimeout as sleep } from 'node:timers/promises';
import { integer, type NodeClass, NodeFailure, ofType, seedRange } from '../nodeClass';
import { noiseOf } from '../fileFormats';
import { showSteps } from './textToImage';

const GATE_POLL_MS = 20;

/** Nodes of the sandbox only: slow, large, failing and unusual ones. */
export const sandboxNodes: Record<string, NodeClass> = {
	/** Takes `steps` steps of `step_ms` milliseconds with previews. Returns the image unchanged. */
	SandboxSampler: {
		required: { image: ofType('IMAGE'), steps: integer(1, 10_000) },
		optional: { step_ms: integer(0, 60_000), seed: seedRange },
		outputs: ['IMAGE'],
		async execute(inputs, context) {
			await showSteps(context, inputs.firstFrame('image'), inputs.number('steps'), inputs.number('step_ms', 20));
			return [inputs.of('image', 'IMAGE')];
		},
	},
	/** Returns the image once the gate is open, and fails if the memory is full. Returns it immediately if `guarded` is 0. */
	SandboxGate: {
		required: { image: ofType('IMAGE') },
		optional: { guarded: integer(0, 1), seed: seedRange },
		outputs: ['IMAGE'],
		async execute(inputs, { signal, behaviour }) {
			if (inputs.number('guarded', 1) === 0) return [inputs.of('image', 'IMAGE')];
			while (!behaviour.gateOpen) await sleep(GATE_POLL_MS, undefined, { signal });
			if (behaviour.memoryFailures > 0) {
				behaviour.memoryFailures -= 1;
				throw new NodeFailure('torch.OutOfMemoryError', 'CUDA out of memory. Tried to allocate 2.00 GiB.');
			}
			return [inputs.of('image', 'IMAGE')];
		},
	},
	/** Passes an image on. By its category, it is a partner node. */
	SandboxPartner: {
		required: { image: ofType('IMAGE') },
		outputs: ['IMAGE'],
		shown: { category: 'api node/image/Sandbox' },
		execute: (inputs) => [inputs.of('image', 'IMAGE')],
	},
	/** Says each line of `text`, one every `step_ms` milliseconds; the image comes out unchanged. */
	SandboxTalk: {
		required: { image: ofType('IMAGE'), text: ofType('STRING') },
		optional: { step_ms: integer(0, 60_000) },
		outputs: ['IMAGE'],
		async execute(inputs, { signal, emit }) {
			for (const line of inputs.text('text').split('\n')) {
				await sleep(inputs.number('step_ms', 0), undefined, { signal });
				emit({ kind: 'text', text: line });
			}
			return [inputs.of('image', 'IMAGE')];
		},
	},
	/** A file of `size_mib` mebibytes that depends on nothing but `seed`; never whole in memory. */
	SandboxLargeFile: {
		required: { size_mib: integer(1, 65_536), seed: seedRange },
		outputs: [],
		isOutput: true,
		async execute(inputs, { signal, nextName, write }) {
			const bytes = noiseOf(inputs.number('seed'), inputs.number('size_mib') * 1024 * 1024, signal);
			await write({ ...nextName('large', 'bin'), kind: 'file', temporary: false, contentType: 'application/octet-stream', bytes });
			return [];
		},
	},
	/** Raises when executed; an image can pass through its place in a graph. */
	SandboxFail: {
		required: { message: ofType('STRING'), exception_type: ofType('STRING') },
		optional: { image: ofType('IMAGE') },
		outputs: ['IMAGE'],
		isOutput: true,
		execute(inputs) {
			throw new NodeFailure(inputs.text('exception_type'), inputs.text('message'));
		},
	},
	/** Reports results as JSON, without a file behind them. */
	SandboxResults: {
		required: { results: ofType('STRING') },
		outputs: [],
		isOutput: true,
		execute(inputs, { emit }) {
			emit({ kind: 'results', results: JSON.parse(inputs.text('results')) as Record<string, unknown[]> });
			return Promise.resolve([]);
		},
	},
	/** Delivers a text under any name, kind and content type: unknown kinds, strange names. */
	SandboxFile: {
		required: { name: ofType('STRING'), kind: ofType('STRING'), content_type: ofType('STRING'), text: ofType('STRING') },
		outputs: [],
		isOutput: true,
		async execute(inputs, { write }) {
			const bytes = Buffer.from(inputs.text('text'), 'utf8');
			await write({
				name: inputs.text('name'),
				kind: inputs.text('kind'),
				temporary: false,
				contentType: inputs.text('content_type'),
				bytes,
			});
			return [];
		},
	},
};
