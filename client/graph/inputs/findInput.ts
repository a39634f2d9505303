import { GraphError } from '../../errors/errors';
import type { ApiGraph, ApiGraphNode } from '../../ports/job';
import { nearMatches } from '../../text/text';
import type { Definitions } from './definitions';
import { getTitle, labelNodes, parseLink } from './graphNodes';
import { type GraphInput, listInputs } from './listInputs';

/** Near names are only searched among so many inputs, because each comparison takes time. */
const MOST_COMPARED = 2_000;
const LONGEST_COMPARED = 120;

/** `Positive · text`, `Positive  ·  text` and `Positive.text` are the same name. */
const normalize = (name: string): string => name.replace(/\s+/g, ' ').replace(/ ?· ?/g, '.').trim();

type InputAddress = Pick<GraphInput, 'nodeId' | 'input'>;

/** The names of an input, the most specific first: an id is unique, and a title takes precedence over a class. */
const SPELLINGS: Array<(node: ApiGraphNode, address: InputAddress, label: string) => string[]> = [
	(_, { nodeId, input }) => [`${nodeId}.${input}`],
	(node, { nodeId, input }, label) => [`${label}.${input}`, `${getTitle(node)}.${input}`, `${getTitle(node)} (#${nodeId}).${input}`],
	(node, { input }) => [`${node.class_type}.${input}`],
];

function filterByName<Address extends InputAddress>(graph: ApiGraph, addresses: Address[], name: string): Address[] {
	const wanted = normalize(name);
	const labels = labelNodes(graph);
	for (const listSpellings of SPELLINGS) {
		const found = addresses.filter((address) =>
			listSpellings(graph[address.nodeId] as ApiGraphNode, address, labels.get(address.nodeId) ?? '').some(
				(spelling) => normalize(spelling) === wanted,
			),
		);
		if (found.length > 0) return found;
	}
	return [];
}

const listLinkedInputs = (graph: ApiGraph): Array<InputAddress & { from: string }> =>
	Object.entries(graph).flatMap(([nodeId, { inputs }]) =>
		Object.entries(inputs).flatMap(([input, value]) => {
			const link = parseLink(value);
			return link === undefined ? [] : [{ nodeId, input, from: link.nodeId }];
		}),
	);

const describeInput = ({ name, label }: GraphInput): string => `${name} (${label})`;

/** Compares both the name and the label of each input. */
function findNear(inputs: GraphInput[], name: string): string[] {
	const toCompared = (text: string): string => normalize(text).slice(0, LONGEST_COMPARED);
	const candidates = inputs
		.slice(0, MOST_COMPARED)
		.flatMap((input) => [input.label, input.name].map((text) => ({ name: input.name, text: toCompared(text) })));
	const near = nearMatches(
		toCompared(name),
		candidates.map(({ text }) => text),
	);
	const names = candidates.filter(({ text }) => near.includes(text)).map((candidate) => candidate.name);
	return inputs.filter((input) => names.includes(input.name)).map(describeInput);
}

/**
 * Finds an input by `6.text`, `Positive · text` or `Positive.text`. The class stands for the title of a node without one.
 * @throws GraphError `ambiguous_input`, `linked_input` or `no_such_input`.
 */
export function findInput(graph: ApiGraph, name: string, definitions?: Definitions): GraphInput {
	const inputs = listInputs(graph, definitions);
	const [found, ...others] = filterByName(graph, inputs, name);
	if (found !== undefined && others.length === 0) return found;
	if (found !== undefined) throw new GraphError({ fault: 'ambiguous_input', name, inputs: [found, ...others].map(describeInput) });
	const linked = filterByName(graph, listLinkedInputs(graph), name)[0];
	if (linked === undefined) {
		const known = inputs.slice(0, MOST_COMPARED).map(describeInput);
		throw new GraphError({ fault: 'no_such_input', name, near: findNear(inputs, name), known });
	}
	const { from } = linked;
	throw new GraphError({
		fault: 'linked_input',
		name,
		from,
		title: Object.hasOwn(graph, from) ? getTitle(graph[from] as ApiGraphNode) : undefined,
		inputs: inputs.filter(({ nodeId }) => nodeId === from).map(describeInput),
	});
}
