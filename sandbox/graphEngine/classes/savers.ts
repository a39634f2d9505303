import { writeJson } from '../../exactJson';
import { withPngText } from '../media/pngText';
import { of, type NodeClass, type NodeContext } from '../nodeClass';
import { encodePng } from '../pixels';
import type { Frame, Value } from '../values';

/** Output nodes for pictures and text. */
export const savers: Record<string, NodeClass> = {
	SaveImage: {
		required: { images: of('IMAGE'), filename_prefix: of('STRING') },
		outputs: [],
		isOutput: true,
		execute: async (inputs, context) => await writePictures(context, inputs.frames('images'), inputs.text('filename_prefix'), false),
	},
	PreviewImage: {
		required: { images: of('IMAGE') },
		outputs: [],
		isOutput: true,
		execute: async (inputs, context) => await writePictures(context, inputs.frames('images'), 'ComfyUI_temp', true),
	},
	SaveText: {
		required: { text: of('STRING'), filename_prefix: of('STRING') },
		outputs: [],
		isOutput: true,
		execute: async (inputs, context) => await writeText(context, inputs.text('text'), inputs.text('filename_prefix'), false),
	},
	PreviewAny: {
		required: { source: of('*') },
		outputs: [],
		isOutput: true,
		execute: async (inputs, context) => await writeText(context, describe(inputs.any('source')), 'preview', true),
	},
};

async function writePictures(context: NodeContext, frames: Frame[], prefix: string, temporary: boolean): Promise<Value[]> {
	for (const frame of frames) {
		const bytes = withPngText(await encodePng(frame), 'prompt', writeJson(context.graph));
		await context.write({ ...context.nextName(prefix, 'png'), kind: 'image', temporary, contentType: 'image/png', bytes });
	}
	return [];
}

async function writeText(context: NodeContext, text: string, prefix: string, temporary: boolean): Promise<Value[]> {
	const shown = temporary ? { plainText: text } : {};
	await context.write({
		...context.nextName(prefix, 'txt'),
		...shown,
		kind: 'text',
		temporary,
		contentType: 'text/plain',
		bytes: Buffer.from(text, 'utf8'),
	});
	return [];
}

function describe(value: Value): string {
	if (value.type === 'INT') return String(value.exact ?? value.value);
	if (value.type === 'BOOLEAN') return value.value ? 'True' : 'False';
	if ('value' in value) return String(value.value);
	if (value.type === 'IMAGE') return value.frames.map(({ width, height }) => `image ${width}x${height}`).join(', ');
	return value.type.toLowerCase();
}
