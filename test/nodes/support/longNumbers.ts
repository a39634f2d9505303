/** Numbers that no double holds, and a graph's text that carries them. */
export const LARGEST_SEED = '18446744073709551615';
export const LONG_NUMBERS = { whole: '12345678901234567890', decimal: '0.1234567890123456789012', huge: '1e999' };

/** The note stands in an input that the class does not have, which ComfyUI passes over. */
export const longNumberGraph = (seed = LARGEST_SEED, title = 'Sampler'): string => {
	const { whole, decimal, huge } = LONG_NUMBERS;
	return `{"1":{"class_type":"EmptyImage","inputs":{"width":8,"height":8,"batch_size":1,"color":7}},
	"2":{"class_type":"SandboxSampler","_meta":{"title":"${title}"},"inputs":{"image":["1",0],"steps":1,"step_ms":0,"seed":${seed},"note":{"whole":${whole},"decimal":${decimal},"huge":${huge},"plain":0.5}}},
	"3":{"class_type":"SaveImage","inputs":{"images":["2",0],"filename_prefix":"long"}}}`;
};

/** The same without what lies between its parts. */
export const packed = (json: string): string => json.replace(/\s+/g, '');
