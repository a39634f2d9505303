/** Graphs in API format, as users paste them. */
type Graph = Record<string, { class_type: string; inputs: Record<string, unknown> }>;

const emptyImage = { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 255 } };

/** Saves one small picture. */
export const quick: Graph = {
	'1': emptyImage,
	'2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'quick' } },
};

/** Saves one small picture once the service opens its gate. */
export const gatedPicture: Graph = {
	'1': emptyImage,
	'2': { class_type: 'SandboxGate', inputs: { image: ['1', 0] } },
	'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'quick' } },
};

/** Stays on its node 2 for this long. */
export const slowFor = (milliseconds: number): Graph => ({
	'1': emptyImage,
	'2': { class_type: 'SandboxSampler', inputs: { image: ['1', 0], steps: Math.ceil(milliseconds / 100), step_ms: 100, seed: 1 } },
	'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'slow' } },
});

/** Longer than any test waits: it ends when it is canceled. */
export const endless: Graph = slowFor(900_000);

/**
 * At 50 percent after its node 2; then it waits until the sandbox opens its gate. Use a new seed each time, because results are
 * cached.
 */
export const gated = (seed: number): Graph => ({
	'1': emptyImage,
	'2': { class_type: 'SandboxSampler', inputs: { image: ['1', 0], steps: 10, step_ms: 100, seed } },
	'3': { class_type: 'SandboxGate', inputs: { image: ['2', 0] } },
	'4': { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: 'gated' } },
});

/** Fails on its node 2. */
export const failing: Graph = {
	'1': emptyImage,
	'2': { class_type: 'SandboxFail', inputs: { image: ['1', 0], message: 'the frogs are on strike', exception_type: 'RuntimeError' } },
	'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'never' } },
};
