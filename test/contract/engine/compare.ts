/** One request of an engine, and its answer in a form that can be compared. */
export const anything: unknown = expect.anything();

/** Status, Content-Type (null for none), and what the body says. */
type Answer = [status: number, contentType: string | null, body: unknown];

export interface Recorded {
	name?: string;
	/** Method and path. */
	on: string;
	/** A text goes as it is, anything else as JSON. */
	send?: unknown;
	/** Fields of a form; `image` is the name of a file. */
	form?: Record<string, string>;
	answer: Answer;
}

/** Sends it once more. @returns what is compared with the recorded answer, and the answer as it came. */
export async function ask(engine: string, { on, send, form }: Recorded) {
	const [method, path] = on.split(' ') as [string, string];
	const sent = form === undefined ? (typeof send === 'string' || send === undefined ? send : JSON.stringify(send)) : formOf(form);
	const response = await fetch(engine + path, { method, ...(sent !== undefined && { body: sent }) });
	const { status, headers } = response;
	const body = Buffer.from(await response.arrayBuffer());
	const contentType = headers.get('content-type');
	const told = contentType?.startsWith('application/json') ? withoutDefinitions(JSON.parse(String(body))) : String(body);
	const answer: Answer = [status, body.length === 0 && status !== 404 ? null : contentType, told];
	return { answer, status, headers, body };
}

function formOf({ image, ...fields }: Record<string, string>): FormData {
	const form = new FormData();
	if (image !== undefined) form.append('image', new Blob(['the bytes of a picture']), image);
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	return form;
}

/** Which input is at fault is enough; what else is said of it repeats the prompt and `/object_info`. */
const withoutDefinitions = (answer: unknown): unknown =>
	JSON.parse(JSON.stringify(answer), (key, value: unknown) =>
		key === 'extra_info' && typeof value === 'object' && value !== null && 'input_name' in value ? { input_name: value.input_name } : value,
	);
