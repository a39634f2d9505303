import { GraphError } from '../../errors';
import type { ApiGraph } from '../../job';
import { nearMatches } from '../../text';
import { inputsOf } from './inputs';
import { linkOf, titleOf } from './literals';
import { titlesIn } from './titles';
import type { Definitions, GraphInput } from './types';

/** Near names are only looked for among so many: a graph of thousands of inputs has none that a person would know. */
const MOST_COMPARED = 2_000;
const LONGEST_COMPARED = 120;

/** `Positive · text`, `Positive  ·  text` and `Positive.text` are one spelling. */
const plain = (name: string): string => name.replace(/\s+/g, ' ').replace(/ ?· ?/g, '.').trim();

type Place = Pick<GraphInput, 'nodeId' | 'input'>;

/** How an input may be called, the surest way first: an id cannot be anybody else's, a title hides a class. */
const SPELLINGS: Array<(graph: ApiGraph, place: Place, title: string) => string[]> = [
	(_, { nodeId, input }) => [`${nodeId}.${input}`],
	(graph, { nodeId, input }, title) => {
		const own = titleOf(graph[nodeId] as ApiGraph[string]);
		return [`${title}.${input}`, `${own}.${input}`, `${own} (#${nodeId}).${input}`];
	},
	(graph, { nodeId, input }) => [`${graph[nodeId]?.class_type}.${input}`],
];

function named<One extends Place>(graph: ApiGraph, places: One[], name: string): One[] {
	const wanted = plain(name);
	const title = titlesIn(graph);
	for (const spellings of SPELLINGS) {
		const found = places.filter((place) => spellings(graph, place, title(place.nodeId)).some((spelling) => plain(spelling) === wanted));
		if (found.length > 0) return found;
	}
	return [];
}

const linkedPlaces = (graph: ApiGraph): Array<Place & { from: string }> =>
	Object.entries(graph).flatMap(([nodeId, { inputs }]) =>
		Object.entries(inputs).flatMap(([input, value]) => {
			const link = linkOf(value);
			return link === undefined ? [] : [{ nodeId, input, from: link.nodeId }];
		}),
	);

const called = ({ name, label }: GraphInput): string => `${name} (${label})`;

function near(inputs: GraphInput[], name: string): string[] {
	const labels = inputs.slice(0, MOST_COMPARED).flatMap((input) => [input, { ...input, label: input.name }]);
	const found = nearMatches(
		plain(name).slice(0, LONGEST_COMPARED),
		labels.map(({ label }) => plain(label).slice(0, LONGEST_COMPARED)),
	);
	const matched = labels.filter(({ label }) => found.includes(plain(label).slice(0, LONGEST_COMPARED))).map((match) => match.name);
	return inputs.filter((input) => matched.includes(input.name)).map(called);
}

/**
 * The input of that name: `6.text`, `Positive · text` or `Positive.text`, also by the class where there is no title.
 * @throws GraphError `ambiguous_input`, `linked_input` or `no_such_input`.
 */
export function findInput(graph: ApiGraph, name: string, definitions?: Definitions): GraphInput {
	const inputs = inputsOf(graph, definitions);
	const [found, ...others] = named(graph, inputs, name);
	if (found !== undefined && others.length === 0) return found;
	if (found !== undefined) throw new GraphError({ fault: 'ambiguous_input', name, inputs: [found, ...others].map(called) });
	const linked = named(graph, linkedPlaces(graph), name)[0];
	if (linked === undefined)
		throw new GraphError({ fault: 'no_such_input', name, near: near(inputs, name), known: inputs.slice(0, MOST_COMPARED).map(called) });
	const { from } = linked;
	throw new GraphError({
		fault: 'linked_input',
		name,
		from,
		title: Object.hasOwn(graph, from) ? titleOf(graph[from] as ApiGraph[string]) : undefined,
		inputs: inputs.filter(({ nodeId }) => nodeId === from).map(called),
	});
}
