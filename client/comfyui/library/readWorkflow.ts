import { ApiError, GraphError, type ServiceName, UnreadableAnswerError } from '../../errors';
import { isRecord, type JsonRecord } from '../../decode';
import { outcomeOf } from '../../transport/outcome';
import type { HttpResponse } from '../../transport/response';

/** The largest that people share have a few megabytes; they hold pictures then. */
const LONGEST_WORKFLOW_BYTES = 32 * 1024 * 1024;

/** @throws ApiError `workflow_too_large`; GraphError `not_json` or `not_a_graph` for a file that holds no workflow. */
export async function readWorkflow(response: HttpResponse, name: ServiceName): Promise<JsonRecord> {
	const text = await response.withTotalLimit(async () => await boundedText(response, name));
	// Whoever edits files by hand may leave a mark of their byte order.
	const workflow = await parsed(response, text.replace(/^\uFEFF/, ''));
	if (!isRecord(workflow)) throw new GraphError({ fault: 'not_a_graph', detail: 'the file is not a JSON object' });
	return workflow;
}

/** A file that somebody has broken is no answer that was cut short, which would be asked for again. */
async function parsed(response: HttpResponse, text: string): Promise<unknown> {
	const read = await outcomeOf((async () => response.parseJson(text, { exactNumbers: true }))());
	if (read.ok) return read.value;
	if (!(read.error instanceof UnreadableAnswerError) || read.error.facts.reason === 'html') throw read.error;
	throw new GraphError({
		fault: 'not_json',
		detail: text.trim() === '' ? 'the file is empty' : 'the file is broken or holds something else',
	});
}

async function boundedText(response: HttpResponse, name: ServiceName): Promise<string> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	if ((response.sizeBytes ?? 0) > LONGEST_WORKFLOW_BYTES) {
		await response.discard();
		throw tooLarge(name);
	}
	for await (const chunk of response.chunks()) {
		length += chunk.byteLength;
		if (length > LONGEST_WORKFLOW_BYTES) throw tooLarge(name);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks, length).toString('utf8');
}

const tooLarge = (name: ServiceName): ApiError =>
	new ApiError({
		interface: name,
		code: 'workflow_too_large',
		status: 413,
		message: `More than ${LONGEST_WORKFLOW_BYTES / 1024 / 1024} MB`,
		details: { longest_bytes: LONGEST_WORKFLOW_BYTES },
	});
