import type { ServerInfo } from '../../../../client';
import { isSameServer } from '../../../../nodes/shared/connect/isSameServer';

const GPU = { name: 'cuda:0 RTX 4090', type: 'cuda', index: 0, vram_total: 24e9, vram_free: 20e9 };
const INFO: ServerInfo = {
	comfyui_version: '0.3.64',
	python_version: '3.12.3',
	pytorch_version: '2.8.0',
	os: 'posix',
	ram_total: 64e9,
	ram_free: 30e9,
	devices: [GPU],
	start_arguments: ['main.py', '--listen'],
};
const JOBS = ['job-3', 'job-2', 'job-1'];

const compare = (info: Partial<ServerInfo>, one: string[], other: string[]): boolean =>
	isSameServer({ info: INFO, newestJobIds: one }, { info: { ...INFO, ...info }, newestJobIds: other });

it.each<[string, boolean, Partial<ServerInfo>, string[], string[]]>([
	['equal facts and equal jobs', true, {}, JOBS, JOBS],
	['one equal job', true, {}, ['job-1'], ['job-1']],
	['other free memory', true, { ram_free: 1, devices: [{ ...GPU, vram_free: 1 }] }, JOBS, JOBS],
	['equal facts without jobs', false, {}, [], []],
	['equal facts, and jobs on one server only', false, {}, JOBS, []],
	['equal facts and other jobs', false, {}, JOBS, ['job-4', 'job-2', 'job-1']],
	['equal jobs in another order', false, {}, JOBS, ['job-1', 'job-2', 'job-3']],
	['another version', false, { comfyui_version: '0.3.65' }, JOBS, JOBS],
	['another version of Python', false, { python_version: '3.13' }, JOBS, JOBS],
	['another version of PyTorch', false, { pytorch_version: null }, JOBS, JOBS],
	['another system', false, { os: 'nt' }, JOBS, JOBS],
	['other arguments', false, { start_arguments: ['main.py', '--port', '8189'] }, JOBS, JOBS],
	['other memory', false, { ram_total: 32e9 }, JOBS, JOBS],
	['another device', false, { devices: [{ ...GPU, name: 'cuda:1 RTX 4090', index: 1 }] }, JOBS, JOBS],
	['another size of the device', false, { devices: [{ ...GPU, vram_total: 12e9 }] }, JOBS, JOBS],
	['one more device', false, { devices: [GPU, GPU] }, JOBS, JOBS],
])('two servers with %s: same = %s', (_, isSame, info, one, other) => {
	expect(compare(info, one, other)).toBe(isSame);
});
