import { ensureEngine1x } from '../../../scripts/n8nHost/install';

export default async function setUp(): Promise<void> {
	await ensureEngine1x();
}
