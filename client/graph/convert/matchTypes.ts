import { isRecord, type JsonRecord, listOf } from '../../decode';
import { GROWING } from '../form/definition';
import type { NodeSockets } from './slots';
import { allowedTypes, type InputSpec, MATCHING, specsIn, specsOfClass } from './widgets';

/** Inputs and outputs of one template have the type of what is linked to any of these inputs. */
interface Template {
	id: string;
	/** Names with commas between them; `*` for any. */
	allowed: string;
	has: (input: string) => boolean;
}

const templateId = ({ settings }: InputSpec): string => (isRecord(settings.template) ? String(settings.template.template_id) : '');

/** Inputs of a growing group are named `<it>.<input>`. */
function templateOf(spec: InputSpec): Template[] {
	if (spec.type === MATCHING) return [{ id: templateId(spec), allowed: allowedTypes(spec), has: (input) => input === spec.name }];
	if (spec.type !== GROWING || !isRecord(spec.settings.template)) return [];
	return specsIn(spec.settings.template.input)
		.filter(({ type }) => type === MATCHING)
		.map((column) => ({ id: templateId(column), allowed: allowedTypes(column), has: (input) => input.startsWith(`${spec.name}.`) }));
}

const KNOWN = new WeakMap<JsonRecord, Template[]>();

function templatesOf(className: string, definition: JsonRecord): Template[] {
	const known = KNOWN.get(definition) ?? specsOfClass(className, definition).flatMap(templateOf);
	KNOWN.set(definition, known);
	return known;
}

/** A hostile file can link thousands of types to one node. */
const MOST_TYPES = 20;

const isAny = (type: string): boolean => type === '' || type === '*';

/** What both types allow; where they have nothing in common, the second. */
function commonType(one: string, other: string): string {
	if (isAny(other)) return one;
	if (isAny(one)) return other;
	const names = new Set(other.split(','));
	return (
		one
			.split(',')
			.filter((name) => names.has(name))
			.join(',') || other
	);
}

/**
 * The sockets of a node with the types that the editor gives to inputs and outputs of a template once something is linked.
 * @param typeOfLink the type of the output that a link comes from.
 */
export function matchTypes(
	sockets: NodeSockets,
	className: string,
	definition: JsonRecord,
	typeOfLink: (linkId: string) => string,
): NodeSockets {
	const templates = templatesOf(className, definition);
	if (templates.length === 0) return sockets;
	const templateAt = sockets.inputs.map(({ name }) => templates.find(({ has }) => has(name)));
	/** By template, how many inputs have a link of each type. */
	const linked = new Map<string, Map<string, number>>();
	const ownTypes = sockets.inputs.map(({ linkId }, slot) => {
		const template = templateAt[slot];
		if (template === undefined || linkId === undefined) return undefined;
		const [type, counts] = [typeOfLink(linkId), linked.get(template.id) ?? new Map<string, number>()];
		linked.set(template.id, counts.set(type, (counts.get(type) ?? 0) + 1));
		return type;
	});
	/** @param own the type of a link that does not count. */
	const typeFor = ({ id, allowed }: Template, own?: string): string =>
		[...(linked.get(id) ?? [])]
			.slice(0, MOST_TYPES)
			.filter(([type, count]) => type !== own || count > 1)
			.reduce((found, [type]) => commonType(found, type), allowed);
	const inputs = sockets.inputs.map((input, slot) => {
		const template = templateAt[slot];
		return template === undefined ? input : { ...input, type: typeFor(template, ownTypes[slot]) };
	});
	const ids = listOf(definition.output_matchtypes);
	const outputTypes = sockets.outputTypes.map((type, slot) => {
		const template = templates.find(({ id }) => id === ids[slot]);
		return template === undefined ? type : typeFor(template);
	});
	return { inputs, outputTypes };
}
