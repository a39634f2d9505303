/** Images that runs send to a workflow, which inverts them. */
import sharp from 'sharp';

import type { ApiGraph } from '../../../client';
import type { RecordedRequest, Sandbox } from '../../../sandbox';
import { picture } from '../../client/support/pictures';
import { bytesOf, type NodeResult } from './engine';

let color = 0x101010;
/** An image of a new color each time. */
export const freshPicture = async (): Promise<Buffer> => await picture((color += 0x010305), 8);

/** A chosen *Input* of `invertGraph`. */
export const IMAGE = { mode: 'list', value: '1.image', cachedResultName: 'Picture · image (was "picture.png"; takes an image)' };

const UPLOADS = /^(\/api\/v2\/assets|\/api\/upload\/image)$/;
export const uploadsTo = (sandbox: Sandbox): RecordedRequest[] =>
	sandbox.requests().filter(({ method, path }) => method === 'POST' && UPLOADS.test(path.split('?')[0] ?? ''));
export const submissionsTo = (sandbox: Sandbox): RecordedRequest[] =>
	sandbox.requests().filter(({ method, path }) => method === 'POST' && /\/(jobs|prompt)$/.test(path));

/** The graphs that the service received. */
export const graphsSentTo = (sandbox: Sandbox): ApiGraph[] =>
	submissionsTo(sandbox).map(({ bodyText }) => {
		const { workflow, prompt } = JSON.parse(bodyText) as { workflow?: ApiGraph; prompt?: ApiGraph };
		return (workflow ?? prompt) as ApiGraph;
	});

/** Expects that the output is this image, inverted. */
export async function expectInverted(result: NodeResult, original: Buffer, index = 0): Promise<void> {
	expect(result.error).toBeUndefined();
	const saved = await bytesOf(result.outputs[0]?.[index]);
	const [red, green, blue] = await sharp(saved).removeAlpha().raw().toBuffer();
	const [r = 0, g = 0, b = 0] = await sharp(original).removeAlpha().raw().toBuffer();
	expect([red, green, blue]).toEqual([255 - r, 255 - g, 255 - b]);
}
