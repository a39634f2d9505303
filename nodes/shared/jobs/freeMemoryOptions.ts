import { choiceOption, numberOption, switchOption } from '../options';

export const freeMemoryWait = numberOption(
	{
		displayName: 'Wait For Free Memory (Seconds)',
		name: 'freeMemoryWaitSeconds',
		typeOptions: { minValue: 0 },
		default: 20,
		description:
			'How long to wait until the memory of the GPU is free. ComfyUI needs up to 8 seconds to unload its models. The node continues as soon as the free memory no longer changes. 0 does not wait.',
	},
	{ unit: 1_000 },
);

/** The options for the memory of the user's own ComfyUI. */
export const freeMemoryOptions = {
	when: choiceOption({
		displayName: 'Free Memory Afterwards',
		name: 'freeMemory',
		options: [
			{ name: 'No', value: 'no', description: 'ComfyUI keeps models in memory, so the next job starts sooner' },
			{
				name: 'When This Run Is Done',
				value: 'whenDone',
				description: 'Once after the last job of this node, also if jobs fail or you stop the execution',
			},
			{
				name: 'After Each Job',
				value: 'afterEachJob',
				description: 'After each job of this node. The next job must load its models again.',
			},
		],
		default: 'no',
		description:
			'Whether your ComfyUI unloads its models and drops its cached results after the jobs. The node waits until the memory is free, so that other programs, for example Ollama, can use it. Only with Self-Hosted. If ComfyUI is behind the API proxy, the credential needs ComfyUI Address. If the credential contains several ComfyUIs, only those that ran jobs of this node free their memory.',
	}),
	/** Whether jobs of others that wait or run do not matter. */
	isForced: switchOption({
		displayName: 'Free Memory Even If Others Wait',
		name: 'freeMemoryEvenIfOthersWait',
		default: false,
		description:
			'Whether to free memory even if ComfyUI has other jobs that are queued or running. A running job continues, and the memory is freed when it ends. The jobs after it must load their models again.',
	}),
	/** How long to wait until the memory is free, in milliseconds. */
	maxWaitMs: freeMemoryWait,
};
