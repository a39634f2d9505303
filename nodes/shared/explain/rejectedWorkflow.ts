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
import { messages } from '../messages/catalogue';
import type { CredentialWords } from '../messages/topics/service';
import { acceptedValues, CHECK_LISTS_ALL, correctClass, sendFile } from '../messages/topics/workflow';
import { joinNames, NO_JOB, shorten, type Words } from '../messages/words';
import { danglingLinkWords } from './graph';
import { folderName, missingClassAdvice, missingClassWords } from './missingClasses';
import { type NodeReason, nodeReasons, reasonLine, withDetail } from './nodeReasons';

const MOST_CHOICES = 10;
const LONGEST_SAID = 500;

/** A message without details. */
const WITHOUT_DETAILS = /^Prompt outputs failed validation$/;
/** ComfyUI reports this for a node that is linked to a missing node, and names only the id of the missing one. */
const FAILED_VALIDATION = /^Exception when validating/;
const NO_OUTPUTS = /^Prompt has no outputs/;

/** Returns the words for a missing class. ComfyUI reports only the first one, and newer versions name it by its title. */
function missingClass({ nodes, title = '' }: MissingNodes): Words {
	const classes = groupMissingClasses(nodes.map(({ className, nodeId = '' }) => ({ className, nodeId, title: className })));
	const addition = `${correctClass} ${CHECK_LISTS_ALL}`;
	if (classes.length === 1) return missingClassWords(classes, { isOwnServer: true, outcome: NO_JOB, addition });
	const each = nodes.map(({ className, nodeId }) => `"${className}" (node ${nodeId})`);
	return messages.NODE_MISSING_BY_TITLE(joinNames(each, MOST_CHOICES), title, `${missingClassAdvice(classes, true)} ${addition}`);
}

function fileWords(
	{ kind, name, folder }: RejectedFile,
	{ node, input = 'one of its inputs' }: NodeReason,
	{ isOwnServer, isRunNode }: CredentialWords,
): Words {
	if (kind === 'input')
		return messages.INPUT_FILE_MISSING(isOwnServer, name, node, input, isRunNode ? sendFile.rowOfFiles : sendFile.uploadAsset);
	return isOwnServer
		? messages.MODEL_FILE_MISSING(name, node, input, folderName(folder))
		: messages.MODEL_FILE_NOT_IN_SERVICE(name, node, input);
}

function firstReason(error: ApiError, reason: NodeReason, credential: CredentialWords): Words {
	const file = findMissingFile(reason);
	if (file !== undefined) return fileWords(file, reason, credential);
	const said = WITHOUT_DETAILS.test(error.message) ? '' : `${error.message}: `;
	const choices = reason.choices.length === 0 ? '' : acceptedValues(String(reason.input), joinNames(reason.choices, MOST_CHOICES));
	return messages.WORKFLOW_INPUT_REJECTED(said + reasonLine(reason), choices);
}

/** Returns the words for a workflow that the service rejected: the first fault, its node, and what to do. */
export function invalidWorkflowWords(error: ApiError, credential: CredentialWords): Words {
	const missing = credential.isOwnServer ? findMissingNodes(error) : undefined;
	if (missing !== undefined) return missingClass(missing);
	if (NO_OUTPUTS.test(error.message)) return messages.OUTPUT_NODE_MISSING();
	const [first] = nodeReasons(error);
	const links = first === undefined || FAILED_VALIDATION.test(first.said) ? findDanglingLinks(error.graph ?? {}) : [];
	if (links.length > 0) return danglingLinkWords(links, NO_JOB);
	if (first !== undefined) return firstReason(error, first, credential);
	const said = withDetail(error.message, isRecord(error.details) ? error.details.details : undefined);
	return messages.WORKFLOW_REJECTED(shorten(said, LONGEST_SAID));
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
