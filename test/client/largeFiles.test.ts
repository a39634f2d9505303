import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { accessTo, useSandbox } from './support/sandbox';
import type { TransferReport } from './support/transferChild';

const MIB = 1024 * 1024;
const SIZE_MIB = 256;
const LIMIT_MIB = 64;

const harness = useSandbox();

test('256 MiB go up and come down, hashed both ways, in at most 64 MiB of memory', async () => {
	const order = { ...accessTo(harness.sandbox, 'hosted'), sizeMib: SIZE_MIB };
	const child = join(__dirname, 'support', 'transferChild.ts');
	const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--import', 'tsx', child, JSON.stringify(order)]);
	const report = JSON.parse(stdout) as TransferReport;
	expect([report.bytesSent, report.bytesRead]).toEqual([SIZE_MIB * MIB, SIZE_MIB * MIB]);
	expect(report.uploadGrowthMib).toBeLessThanOrEqual(LIMIT_MIB);
	expect(report.downloadGrowthMib).toBeLessThanOrEqual(LIMIT_MIB);
}, 120_000);
