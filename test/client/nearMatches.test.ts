import { nearMatches } from '../../client';
import { cpuMs } from '../support/cpuTime';

const models = Array.from({ length: 300 }, (_, number) => `model_number_${number}_fp16.safetensors`);

it('the names most like the wanted one come first', () => {
	expect(nearMatches('ksampler', ['LoadImage', 'KSamplerAdvanced', 'KSampler'])).toEqual(['KSampler', 'KSamplerAdvanced']);
	expect(nearMatches('modl_number_7_fp16.safetensors', models)[0]).toBe('model_number_7_fp16.safetensors');
	expect(nearMatches('something else altogether', ['LoadImage'])).toEqual([]);
});

it('a long text in the place of a name, as a misplaced expression gives, takes no time', () => {
	const begun = cpuMs();
	expect(nearMatches('a red fox in the snow, '.repeat(1_000), models)).toEqual([]);
	expect(cpuMs() - begun).toBeLessThan(2_000);
});
