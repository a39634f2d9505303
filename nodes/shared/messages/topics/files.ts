import type { ConnectionTrouble } from '../../../../client';
import { defineMessages, NO_JOB, NOTHING_SENT, OUTPUT_GONE } from '../words';

const CHECK_BASE64 =
	'Check that the field contains the whole file as Base64, or as a data URL that begins with data:image/png;base64, for example.';

const FETCH_FIRST =
	'If the server requires a sign-in or a header, download the file with the HTTP Request node first, and set From to Binary Field.';
const SAME_FILE = `Open the address in a private browser window to see what the server returns. ${FETCH_FIRST}`;
const LATER = 'Run the item again later. If it happens again, contact the operator of that server.';
const USE_REFERENCE = 'Use the expression {{ $json.reference }} on an item of Comfy Upload Asset or of another Comfy Run Workflow';

/** By the kind of the status of a server that did not return a file. */
const STATUS_ADVICE = {
	notPublic: `The address is not public, or its link has expired. ${FETCH_FIRST}`,
	notFound: 'The file no longer exists, or the address is misspelled. Check URL, or the expression in it.',
	unavailable: LATER,
	other: SAME_FILE,
};

const TROUBLE_ADVICE: Record<ConnectionTrouble, string> = {
	refused: 'Check URL. If n8n runs in Docker, 127.0.0.1 and localhost mean the container of n8n.',
	dns: 'Check URL for typing errors.',
	tls: `The node downloads files only from servers with a trusted certificate. ${FETCH_FIRST}`,
	no_tls: 'Enter URL with http:// instead of https://.',
	only_tls: 'Enter URL with https:// instead of http://.',
	timeout: LATER,
	too_slow: LATER,
	lost: LATER,
	blocked:
		'The administrator of n8n restricts the addresses that nodes can connect to. Ask the administrator to allow this address, or use a different address.',
	link_local:
		'Use a different address. The node does not connect to link-local addresses, because cloud machines expose their secrets at such addresses.',
	not_web: 'The address redirects to an address that is not a web address. Check URL.',
	invalid_address: 'Check URL. If n8n uses a proxy, ask its administrator to check the address of the proxy.',
};

/** An input of the workflow. */
interface NamedInput {
	name: string;
	label: string;
}

/** How to get a file that ComfyUI can read. */
export const convertFile = {
	heic: 'Convert it to JPEG or PNG before this node. An iPhone takes JPEG photos if Camera > Formats in its settings is Most Compatible.',
	svg: 'Convert it to PNG before this node.',
	video: 'Choose an input of a node that loads a video, for example Load Video, or extract an image before this node.',
};

/** Everyday names of content types. */
export const TYPE_NAMES: ReadonlyArray<readonly [RegExp, string]> = [
	[/^text\/html$/, 'a web page'],
	[/^application\/json$/, 'JSON'],
	[/^application\/xml$/, 'XML'],
	[/^application\/pdf$/, 'a PDF'],
	[/^application\/zip$/, 'a ZIP archive'],
	[/^text\//, 'text'],
	[/^image\/heic$/, 'a HEIC image'],
	[/^image\/svg\+xml$/, 'an SVG image'],
	[/^image\//, 'an image'],
	[/^audio\//, 'audio'],
	[/^video\//, 'a video'],
];

/** Input files, files from the web, and the files of outputs. Messages with a small first letter follow the name of a row. */
export const files = defineMessages({
	ITEM_WITHOUT_FILES: (field: string, label: string) => [
		`The item has no file in the field "${field}"`,
		`The item has no files at all. Place a node that outputs a file before this node, for example HTTP Request or Read/Write Files from Disk, and enter its field under ${label}.`,
	],
	FILE_FIELD_NOT_FOUND: (field: string, label: string, present: string[]) => [
		`The item has no file in the field "${field}"`,
		`Set ${label} to one of: ${present.join(', ')}.`,
	],
	FILE_EMPTY: (field: string) => [`The file in the field "${field}" is empty`, 'Check the node that created the file. Nothing was sent.'],
	FILE_TOO_LARGE_FOR_MEMORY: (name: string) => [
		`"${name}" is too large for n8n to keep in memory`,
		'Nothing was saved. Set the environment variable N8N_DEFAULT_BINARY_DATA_MODE of n8n to filesystem or s3, so that n8n streams files to a store.',
	],
	FILE_TOO_LARGE_FOR_POSTGRES: (name: string) => [
		`"${name}" is too large for n8n to keep in PostgreSQL`,
		'Nothing was saved, because n8n cannot read files above 255 MiB from PostgreSQL. Set the environment variable N8N_DEFAULT_BINARY_DATA_MODE of n8n to filesystem, and N8N_STORAGE_PATH to a path that all its processes share.',
	],
	DATA_URL_NOT_BASE64: () => ['The data URL is not Base64', 'Enter a data URL whose part before the comma ends with ;base64.'],
	BASE64_WRONG_CHARACTER: (where: string) => [`The Base64 text cannot be decoded: ${where}, which Base64 does not use`, CHECK_BASE64],
	BASE64_PADDING_INSIDE: (where: string) => [`The Base64 text cannot be decoded: ${where}, which may be only at the end`, CHECK_BASE64],
	BASE64_EMPTY: () => ['The file in Base64 is empty', 'Check the node that created the text.'],
	BASE64_INCOMPLETE: (characters: string) => [
		`The Base64 text is incomplete: ${characters} characters cannot be a whole file`,
		`The end of the text is missing. ${CHECK_BASE64}`,
	],
	BASE64_TOO_LARGE: (limit: string, size: string, field: string) => [
		`The file in Base64 is larger than ${limit}: its size is ${size}`,
		`If it is the correct file, add the option ${field} and enter a larger number.`,
	],
	/** @param advice for the field. */
	FILE_ROW_FIELD_EMPTY: (row: string, field: string, advice: string) => [`${field} of ${row} is empty`, `${NO_JOB} ${advice}`],
	AGENT_PASSES_NO_FILES: () => ['an AI agent cannot pass files to a tool', 'Set From to URL or Reference.'],
	BASE64_NOT_A_TEXT: () => ['Base64 is not a text', 'Check that its expression finds the text and not the object that contains it.'],
	REFERENCE_WITHOUT_FILE: () => ['the reference names no file', `${USE_REFERENCE}.`],
	REFERENCE_OF_V2: () => [
		'the reference is one of v2, which ComfyUI itself and the interface v1 do not know',
		'Upload the file, or make it, over the same interface as this workflow runs on: set Interface alike in both nodes.',
	],
	FILE_INPUT_NOT_CHOSEN: () => ['no input is chosen', 'Choose the input for the file, or remove the row.'],
	INPUT_TAKES_NO_FILE: ({ name, label }: NamedInput) => [
		`the input ${name} (${label}) does not accept a file`,
		'Choose an input of a node that loads a file, for example Load Image.',
	],
	/** @param variant the node that loads uploaded files. */
	INPUT_TAKES_PATH: ({ name, label }: NamedInput, variant: string) => [
		`the input ${name} (${label}) takes a path on the disk of ComfyUI, not an uploaded file`,
		`In ComfyUI, replace the node by ${variant}, which loads uploaded files.`,
	],
	INPUT_TAKES_BASE64: ({ name, label }: NamedInput) => [
		`the input ${name} (${label}) takes Base64 text, not the name of a file`,
		'Add a row to Inputs for it, and enter the Base64 text, for example with an expression. Or replace the node by Load Image.',
	],
	FILE_INPUT_SET_TWICE: (other: string, input: string) => [`${other} sets the same input, ${input}`, 'Remove one of the two rows.'],
	ROW_CONTAINS_BINARY: (field: string) => [
		`${field} contains a file of the item from $binary`,
		'Set From to Binary Field, and enter the name of its field, for example data, without an expression.',
	],
	ROW_CONTAINS_DATA_URL: (field: string) => [`${field} contains a data URL`, 'Set From to Base64.'],
	ROW_CONTAINS_URL: (field: string) => [`${field} contains a web address`, 'Set From to URL.'],
	/** @param name with a space in front of it. Empty if it is not known. */
	FILE_OF_WRONG_KIND: (name: string, kind: string, needed: string, advice: string) => [
		`the file${name} is ${kind}, but this input needs ${needed}`,
		advice,
	],
	URL_NOT_WEB: () => [
		'the URL is not a web address',
		'Enter a URL that begins with https:// or http://, or check that its expression finds one in the input item.',
	],
	/** @param size with a colon in front of it. Empty if it is not known. */
	URL_FILE_TOO_LARGE: (address: string, limit: string, size: string) => [
		`the file at ${address} is larger than ${limit}${size}`,
		'If it is the correct file, add the option Largest File (MB) and enter a larger number.',
	],
	URL_FILE_EMPTY: (address: string) => [`the file at ${address} is empty`, SAME_FILE],
	URL_IS_WEB_PAGE: (address: string) => [
		`${address} returned a web page instead of a file`,
		`The page may describe the file or ask for a sign-in. Enter the address of the file itself. ${SAME_FILE}`,
	],
	URL_FILE_OF_WRONG_KIND: (address: string, content: string, needed: string, conversion: string | undefined) => [
		`${address} returned ${content}, but this input needs ${needed}`,
		conversion ?? SAME_FILE,
	],
	URL_REJECTED: (address: string, status: number, kind: keyof typeof STATUS_ADVICE) => [
		`${address} returned HTTP ${status} instead of the file`,
		STATUS_ADVICE[kind],
	],
	URL_REDIRECTS: (address: string) => [`${address} redirects too many times`, SAME_FILE],
	URL_FILE_INCOMPLETE: (address: string) => [`the file at ${address} is incomplete: the server ended the download early`, LATER],
	URL_FILE_CHANGED: (address: string) => [
		`the file at ${address} changed during the download`,
		'Run the item again when the file is complete.',
	],
	URL_NOT_DOWNLOADED: (address: string, trouble: ConnectionTrouble, reason: string) => [
		`the file at ${address} cannot be downloaded. ${reason}`,
		TROUBLE_ADVICE[trouble],
	],
	HASH_NOT_VALID: () => ['Hash is not a BLAKE3 hash', 'Enter 64 hexadecimal digits, with or without the prefix "blake3:".'],
	ORIGINAL_IMAGE_EMPTY: () => [
		'Original Image is empty',
		`${NOTHING_SENT} Upload the image of the mask first, and enter the expression {{ $json.reference }} for that item.`,
	],
	ORIGINAL_IMAGE_NOT_VALID: () => [
		'Original Image is not the reference of an image',
		`${NOTHING_SENT} Enter the reference that Comfy Upload Asset outputs over v1 or for your own ComfyUI, or an object such as {"filename": "cat.png", "subfolder": "", "type": "input"}.`,
	],
	FILE_DAMAGED: (what: string, actual: string | number, expected: string | number) => [
		`The received file does not match the file on the server: its ${what} is ${actual}, not ${expected}`,
		'Nothing was saved. Run the item again. If it happens again, the file on the server is damaged.',
	],
	/** ComfyUI rejects such a name, but the API proxy reports it as a temporary error. */
	OUTPUT_NAME_REJECTED: (name: string) => [
		`ComfyUI does not return ${name}: it rejects every name that contains ".."`,
		'The file is in the output folder of ComfyUI. Change filename_prefix of that node, then submit the workflow again.',
	],
	OUTPUT_GONE: (name: string) => [`The server no longer has the file ${name}`, OUTPUT_GONE],
	OUTPUT_TEXT_GONE: (name: string) => [
		`The text ${name} was too long for the item, and ComfyUI no longer has the job`,
		'Place Comfy Download Outputs directly after Comfy Wait For Job, and submit the workflow again.',
	],
	OUTPUT_EMPTY: (name: string) => [
		`The file ${name} is empty (0 bytes)`,
		'Nothing was saved. Check the node that saves it in ComfyUI, then run the workflow again.',
	],
	OUTPUT_OF_WRONG_TYPE: (name: string, announced: string, seen: string) => [
		`The file ${name} should be of type ${announced}, but contains ${seen}`,
		'Nothing was saved. Check the node that saves it, and each proxy between n8n and ComfyUI.',
	],
	OUTPUT_INCOMPLETE: (name: string) => [
		`The file ${name} ends too early`,
		'Nothing was saved. The server sent no length and closed the connection. Run the node again, and check each proxy between n8n and ComfyUI.',
	],
	/** A hint. */
	IMAGE_FORMAT_NOT_AVAILABLE: () => [
		'Image Format has no effect, because this service does not convert images',
		'The files are delivered as they were saved. Set Image Format to Original, or use your own ComfyUI without the API proxy.',
	],
	/** A hint. @param reason half a sentence. */
	IMAGE_NOT_CONVERTED: (reason: string) => [
		`Some images keep their format: ${reason}`,
		'The field not_converted is in the output of each of these images.',
	],
	/** A hint. @param first what the job did not deliver. @param more how many other things it did not deliver. */
	JOB_DELIVERED_LESS: (jobId: string, first: string, more: number) => [
		`Job ${jobId}: ${first}`,
		more === 0 ? undefined : `The field not_delivered contains ${more} more.`,
	],
});

/** What to enter in a field of a row of *Files* that is empty. */
export const emptyFieldAdvice = {
	binary: 'Enter the name of the field, for example data, or check that its expression finds one.',
	base64:
		'Enter the Base64 text of the file, or check that its expression finds one in the input item. Expressions cannot read the content of files in $binary. For such a file, set From to Binary Field.',
	url: 'Enter the address of the file, or check that its expression finds one in the input item.',
	reference: `${USE_REFERENCE}, or enter the name of a file that ComfyUI has.`,
};

/** What to do about a file that no conversion helps. */
export const CHOOSE_OTHER_FILE =
	'Choose a different field or a different input. If the file was downloaded from the web, it may be a message of the server instead of the file.';

interface NamedNode {
	node_id: string | null;
	/** Its title or class; null if nothing names it. */
	node: string | null;
}

const nodeName = ({ node_id: id, node }: NamedNode): string => (id === null ? 'No node' : `Node ${id}${node === null ? '' : ` (${node})`}`);

/** What the job of a successful item did not deliver, by reason: what happened, then what to do. */
export const notDelivered = {
	nothing: (node: NamedNode): string =>
		`${nodeName(node)} reported ${node.node_id === null ? 'any' : 'no'} file, text or value. Use a node that saves files in ComfyUI, for example Save Image.`,
	behindProxy: (node: NamedNode, field: string): string =>
		`${nodeName(node)} has no output in this item, and the API proxy does not return texts or 3D files. Set Interface to Engine, or check ${field}.`,
	leftOutPreview: (node: NamedNode): string =>
		`${nodeName(node)} created only temporary previews, which are not returned. Turn on Include Temporary Previews in Options, or use a node that saves files, for example Save Image instead of Preview Image.`,
	preview: (node: NamedNode): string =>
		`${nodeName(node)} created only temporary previews, which ComfyUI deletes when it restarts. Use a node that saves files, for example Save Image instead of Preview Image.`,
	filtered: (count: number): string => `None of the ${count} outputs passes the filters. Change Filters.`,
	failedNode: (node: NamedNode, reason: string): string =>
		`${node.node_id === null ? 'The job' : nodeName(node)} failed, so outputs may be missing: ${reason}. Only the outputs that were finished before are returned.`,
	notFinished: (status: string): string =>
		`The job ended with the status "${status}", so outputs may be missing. Only the outputs that were finished before are returned.`,
};

/** Why an image keeps its format. */
export const notConverted = {
	animation: 'an animation would keep only one frame. Files that may be animations, for example GIF, are not converted',
	transparency: 'JPEG has no transparency. To convert these images too, set Image Format to WebP',
	otherFormat: 'only PNG, JPEG and WebP images are converted',
	refused: 'ComfyUI could not convert the file',
};
