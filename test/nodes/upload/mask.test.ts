/** The field *Original Image* of the operation *Upload Mask*. */
import { settings } from '../../../nodes/ComfyUploadAsset/uploadMask';
import type { ReadParameter } from '../../../nodes/shared/parameters';

const originalOf = (original: unknown) => settings(((name: string) => (name === 'original' ? original : 'data')) as ReadParameter).original;

it.each<[given: unknown, subfolder: string, type: string]>([
	['cat.png', '', 'input'],
	['{"filename": "cat.png", "subfolder": "pets", "type": "temp"}', 'pets', 'temp'],
	[{ filename: 'cat.png', subfolder: 'pets', type: 'output' }, 'pets', 'output'],
	[{ filename: 'cat.png', type: '' }, '', 'input'],
	[{ filename: 'cat.png', subfolder: 5, type: null }, '', 'input'],
])('%j is read as an image', (given, subfolder, type) => {
	expect(originalOf(given)).toEqual({ filename: 'cat.png', subfolder, type });
});

it.each([{ filename: ' ' }, { filename: 5 }, [], '{"filename"', 5])('%j is rejected, because it names no image', (given) => {
	expect(() => originalOf(given)).toThrow('is not the reference of an image');
});
