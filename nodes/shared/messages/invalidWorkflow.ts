import {
	type ApiError,
	type ApiGraph,
	findDanglingLinks,
	findModelFolder,
	findNodeTitle,
	groupMissingClasses,
	isModelName,
	isRecord,
} from '../../../client';
import { ADD_OUTPUT_NODE, CHECK_LISTS_ALL } from './conversion';
import { danglingLinkWords } from './graph';
import { missingClassAdvice, missingClassWords } from './missingClasses';
import { type NodeReason, nodeReasons, reasonLine, withDetail } from './nodeReasons';
import { type CredentialWords, joinNames, NO_JOB, shorten } from './words';

const NAMED = 'Correct the inputs that this message names.';
/** An engine gives no details if nodes are linked in a circle. */
const UNNAMED =
	'Open the workflow in ComfyUI and run it: ComfyUI shows the node that is not valid, or the nodes that are linked in a circle.';
const MOST_CHOICES = 10;
const LONGEST_SAID = 500;

/** A message without details. */
const WITHOUT_DETAILS = /^Prompt outputs failed validation$/;
/** ComfyUI reports this for a node that is linked to a missing node, and names only the id of the missing one. */
const FAILED_VALIDATION = /^Exception when validating/;
const NO_OUTPUTS = /^Prompt has no outputs/;

/** Returns the words for a missing class. ComfyUI reports only the first one, and newer versions name it by its title. */
function missingClass({ nodes, title }: MissingNodes): [string, string] {
	const classes = groupMissingClasses(nodes.map(({ className, nodeId = '' }) => ({ className, nodeId, title: className })));
	const { message, advice } = missingClassWords(classes, true);
	const more = `If the name is misspelled, correct class_type in the workflow. ${CHECK_LISTS_ALL}`;
	if (classes.length === 1) return [message, `${NO_JOB} ${advice} ${more}`];
	const each = nodes.map(({ className, nodeId }) => `"${className}" (node ${nodeId})`);
	return [
		`This ComfyUI does not have one of the nodes ${joinNames(each, MOST_CHOICES)}: ComfyUI reports only the title "${title}", which these nodes share`,
		`${NO_JOB} ${missingClassAdvice(classes, true)} ${more}`,
	];
}

const noOutputs = (): [string, string] => [
	'The workflow has no output node (Prompt has no outputs)',
	`${NO_JOB} ${ADD_OUTPUT_NODE} Then export the workflow again.`,
];

function fileWords(
	{ kind, name, folder }: RejectedFile,
	{ node, input }: NodeReason,
	{ isOwnServer, isRunNode }: CredentialWords,
): [string, string] {
	const owner = isOwnServer ? 'This ComfyUI' : 'The service';
	const message = `${owner} does not have the file "${name}" that node ${node} uses in ${input ?? 'one of its inputs'}`;
	if (kind === 'input')
		return [
			message,
			`${NO_JOB} ${isRunNode ? 'Send it in a row of Files' : 'Send it with Comfy Upload Asset before this node, and enter its reference under Input Files'}${isOwnServer ? ', or put it into the folder input of ComfyUI' : ''}.`,
		];
	const place = folder === undefined ? 'the folder from which this node loads its files' : `the folder ${folder} of ComfyUI`;
	return [
		message,
		isOwnServer
			? `${NO_JOB} Put it into ${place}, or enter the name of a file that ComfyUI has. ${CHECK_LISTS_ALL}`
			: `${NO_JOB} Open the workflow in the service, choose a file that the service has, and export the workflow again.`,
	];
}

function firstReason(error: ApiError, reason: NodeReason, credential: CredentialWords): [string, string] {
	const file = findMissingFile(reason);
	if (file !== undefined) return fileWords(file, reason, credential);
	const said = WITHOUT_DETAILS.test(error.message) ? '' : `${error.message}: `;
	const choices = reason.choices.length === 0 ? '' : ` ${reason.input} accepts: ${joinNames(reason.choices, MOST_CHOICES)}.`;
	return [`The service rejected this workflow: ${said}${reasonLine(reason)}`, `${NO_JOB} ${NAMED}${choices}`];
}

/** Returns the words for a workflow that the service rejected: the first fault, its node, and what to do. */
export function invalidWorkflowWords(error: ApiError, credential: CredentialWords): [string, string] {
	const missing = credential.isOwnServer ? findMissingNodes(error) : undefined;
	if (missing !== undefined) return missingClass(missing);
	if (NO_OUTPUTS.test(error.message)) return noOutputs();
	const [first] = nodeReasons(error);
	const links = first === undefined || FAILED_VALIDATION.test(first.said) ? findDanglingLinks(error.graph ?? {}) : [];
	if (links.length > 0) {
		const { message, advice } = danglingLinkWords(links);
		return [message, `${NO_JOB} ${advice}`];
	}
	if (first !== undefined) return firstReason(error, first, credential);
	const said = withDetail(error.message, isRecord(error.details) ? error.details.details : undefined);
	return [`The service rejected this workflow: ${shorten(said, LONGEST_SAID)}`, `${NO_JOB} ${UNNAMED}`];
}

/** Older engines, and the API proxy, name the class. */
const BY_CLASS = /node (.+) does not exist/i;
/** Newer engines name the title, or the class of a node without a title. */
const BY_TITLE = /node '(.+)' not found/i;

/** Only this much is searched, because patterns are slow on long texts. */
const LONGEST_SEARCHED = 2_000;

const nonEmpty = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The nodes whose classes a server does not have. If several nodes share the reported title, one of them. */
interface MissingNodes {
	nodes: Array<{ className: string; nodeId?: string }>;
	/** The title that the nodes share. */
	title?: string;
}

const single = (className: string, nodeId: string | undefined): MissingNodes => ({ nodes: [{ className, nodeId }] });

function findInNodeErrors(errors: unknown, graph: ApiGraph): MissingNodes | undefined {
	if (!isRecord(errors)) return undefined;
	for (const [nodeId, node] of Object.entries(errors)) {
		const entries: unknown[] = isRecord(node) && Array.isArray(node.errors) ? node.errors : [];
		const missing = entries.filter(isRecord).find(({ type }) => type === 'missing_node_type');
		const className =
			missing &&
			(nonEmpty(isRecord(node) ? node.class_type : undefined) ??
				graph[nodeId]?.class_type ??
				BY_CLASS.exec(String(missing.message).slice(0, LONGEST_SEARCHED))?.[1]);
		if (className !== undefined) return single(className, nodeId);
	}
	return undefined;
}

const namesNode = (graph: ApiGraph, nodeId: string, name: string): boolean =>
	(findNodeTitle(graph, nodeId) ?? graph[nodeId]?.class_type) === name;

function findByTitle(title: string, graph: ApiGraph): MissingNodes {
	const ids = Object.keys(graph).filter((id) => namesNode(graph, id, title));
	if (ids.length === 0) return single(title, undefined);
	return { nodes: ids.map((nodeId) => ({ className: (graph[nodeId] as ApiGraph[string]).class_type, nodeId })), title };
}

/** Returns the missing nodes, or undefined if the workflow was rejected for another reason. */
function findMissingNodes({ message: whole, details, graph = {} }: ApiError): MissingNodes | undefined {
	const message = whole.slice(0, LONGEST_SEARCHED);
	const facts = isRecord(details) ? details : {};
	const extra = isRecord(facts.extra_info) ? facts.extra_info : {};
	const nodeId = nonEmpty(extra.node_id) ?? /#([^'"\s]+)/.exec(String(facts.details))?.[1];
	const title = BY_TITLE.exec(message)?.[1];
	const known =
		nonEmpty(extra.class_type) ?? BY_CLASS.exec(message)?.[1] ?? (title === undefined ? undefined : graph[nodeId ?? '']?.class_type);
	if (known !== undefined) return single(known, nodeId);
	return title === undefined ? findInNodeErrors(facts.node_errors, graph) : findByTitle(title, graph);
}

const MEDIA = /\.(png|jpe?g|webp|gif|bmp|tiff?|avif|mp4|webm|mov|mkv|avi|wav|mp3|flac|ogg|opus|m4a|glb|gltf|obj|stl)$/i;

/** A file that a workflow names and a server does not have. */
interface RejectedFile {
	kind: 'model' | 'input';
	name: string;
	/** ComfyUI's folder for the file. Undefined for custom nodes. */
	folder: string | undefined;
}

function findMissingFile({ type, className, input, received, said }: NodeReason): RejectedFile | undefined {
	if (received === undefined) return undefined;
	if (/Invalid \w+ file: /.test(said) || (isNotInList(type, said) && MEDIA.test(received)))
		return { kind: 'input', name: received, folder: 'input' };
	const folder = findModelFolder(className ?? '', input ?? '');
	if (!isNotInList(type, said) || (folder === undefined && !isModelName(received))) return undefined;
	return { kind: 'model', name: received, folder };
}

/** Entries of the hosted service have no types, so their text is searched. */
const isNotInList = (type: string | undefined, said: string): boolean =>
	type === 'value_not_in_list' || (type === undefined && /not in list|not one of its choices/i.test(said));
