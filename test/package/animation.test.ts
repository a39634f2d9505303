import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

it('docs/run-workflow.webp is an animation of less than 3 MB', async () => {
	const file = readFileSync(join(__dirname, '../../docs/run-workflow.webp'));
	const { format, pages, width } = await sharp(file).metadata();
	expect(format).toBe('webp');
	expect(pages).toBeGreaterThanOrEqual(8);
	expect(width).toBeLessThanOrEqual(1200);
	expect(file.byteLength).toBeLessThan(3_000_000);
});
