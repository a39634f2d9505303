import { GraphError } from '../../errors/errors';
import type { UnresolvedPlaceholder } from '../../errors/graphFaults';
import type { ApiGraph, ApiGraphNode } from '../../ports/job';
import { namesResult } from '../inputs/files';
import { getTitle, listLiterals, parseLink } from '../inputs/graphNodes';

const IN_BRACES = /\{\{[^{}]{1,2000}\}\}/g;
/** Jinja and wildcards use braces as well, but not these names. */
const OF_N8N = /\$(\(|(json|input|node|binary|fromAI|itemIndex|runIndex|now|today|vars|env|execution|workflow)\b)/;

/** A percent sign also follows numbers (`50% grey, 20% blue`), so most names count only if the input has nothing else. */
const NAME_ALONE = /^%([a-z][\w-]{0,60})%$/i;
const KNOWN_NAME = /%(([a-z]+_)?prompt|seed|steps|cfg(_scale)?|sampler(_name)?|scheduler|denoise|model|image|user_avatar|char_avatar)%/i;
/** ComfyUI fills these in when it saves a file. The text may come from another node. */
const NAMES_OF_COMFYUI: ReadonlySet<string> = new Set(['year', 'month', 'day', 'hour', 'minute', 'second', 'width', 'height']);

/** Returns the first expression of n8n in a text, for example `{{ $json.prompt }}`. */
export const findExpression = (text: string): string | undefined => text.match(IN_BRACES)?.find((braces) => OF_N8N.test(braces));

/** Returns the name if the text is nothing else, for example `%prompt%`. */
function findNameAlone(input: string, text: string): string | undefined {
	const [placeholder, name = ''] = NAME_ALONE.exec(text.trim()) ?? [];
	return NAMES_OF_COMFYUI.has(name) && !input.endsWith(name) ? undefined : placeholder;
}

/** Returns the first placeholder in a text that is meant for an input. */
export const findPlaceholder = (input: string, text: string): string | undefined =>
	findExpression(text) ?? findNameAlone(input, text) ?? KNOWN_NAME.exec(text)?.[0];

/** Returns the placeholder if the text is nothing else. A longer text may quote one. */
export function findPlaceholderAlone(input: string, text: string): string | undefined {
	const expression = findExpression(text);
	return expression === text.trim() ? expression : findNameAlone(input, text);
}

/** Classes that replace a part of a text, which may look like a placeholder. */
const REPLACING_CLASS = /replace|template|format|substitut|interpolat|regex|wildcard|script|code|expression/i;

const replacesTexts = ({ class_type: className }: ApiGraphNode): boolean => REPLACING_CLASS.test(className);

/** @returns the ids of the nodes from which names of saved files come. ComfyUI and its packs fill in names such as `%seed%` there. */
const findNamingNodes = (graph: ApiGraph): Set<string | undefined> =>
	new Set(
		Object.values(graph).flatMap((node) =>
			Object.entries(node.inputs).flatMap(([input, value]) => (namesResult(node, input) ? [parseLink(value)?.nodeId] : [])),
		),
	);

/** @returns the inputs with a placeholder, in graph order. A text that a node of the workflow replaces is none. */
export function findPlaceholders(graph: ApiGraph): UnresolvedPlaceholder[] {
	const texts = listLiterals(graph).flatMap(({ value, ...literal }) => (typeof value === 'string' ? [{ ...literal, value }] : []));
	const replaced = texts.filter(({ node }) => replacesTexts(node)).map(({ value }) => value);
	const namingNodes = findNamingNodes(graph);
	return texts.flatMap(({ nodeId, node, input, value }) => {
		const mayFillInNames = namingNodes.has(nodeId) || namesResult(node, input) || replacesTexts(node);
		const placeholder = mayFillInNames ? findExpression(value) : findPlaceholder(input, value);
		if (placeholder === undefined || (placeholder.startsWith('%') && replaced.some((text) => text.includes(placeholder)))) return [];
		return [{ nodeId, title: getTitle(node), className: node.class_type, input, placeholder }];
	});
}

/**
 * @param isChecked whether an input was checked before.
 * @returns the graph itself.
 * @throws GraphError `placeholders`. ComfyUI would run, and bill, the workflow with the placeholder as its value.
 */
export function checkPlaceholders(graph: ApiGraph, isChecked: (nodeId: string, input: string) => boolean): ApiGraph {
	const places = findPlaceholders(graph).filter(({ nodeId, input }) => !isChecked(nodeId, input));
	if (places.length > 0) throw new GraphError({ fault: 'placeholders', places });
	return graph;
}
