import { type ApiGraph, convertWorkflow, exactText, writeValues } from '../../../../client';
import { DAY_OF_RECORDING, definitions, expectedOf, graphNames } from '../convert/support/recordings';
import { changeValues, CONTRADICTORY } from './support/changedValues';

const names = graphNames().filter((name) => expectedOf(name).refusals === undefined && !CONTRADICTORY.includes(name));
const inputsOf = (graph: ApiGraph) => Object.fromEntries(Object.entries(graph).map(([id, { inputs }]) => [id, inputs]));
const options = { now: DAY_OF_RECORDING };

/** In these graphs, no file with the same nodes and links has the changed values. */
const WITHOUT_FILE: Record<string, string> = {
	'group/made-by-1.18': 'two group nodes share a value that is not theirs',
	'pack-widgets/file-names': 'the inputs of another video format differ',
	'packs/video-combine': 'the inputs of another video format differ',
	'packs/video-combine-2023': 'the inputs of another video format differ',
	'packs/video-formats': 'the inputs of another video format differ',
	'subgraph/promoted-dynamic-choice': 'the inputs behind another promoted choice differ',
	'subgraph/promoted-two-instances': 'two subgraph nodes share a value that is not theirs',
	'subgraph/proxies-instances': 'three subgraph nodes share a value that is not theirs',
	'subgraph/proxies-primitive-instances': 'two subgraph nodes share a value that is not theirs',
	'widgets/none': 'a choice without options has no value',
	'widgets/viewers': 'a viewer sends what its size makes of its camera',
};

it.each(names)('%s has every changed value after it is written and converted again', (name) => {
	const { workflow, graph } = changeValues(name, () => true);
	const before = exactText(workflow);
	const written = writeValues(workflow, graph, definitions, options);
	expect(exactText(workflow)).toBe(before);
	expect(written === undefined).toBe(name in WITHOUT_FILE);
	if (written === undefined) return;
	const again = convertWorkflow(written, definitions, options);
	expect(inputsOf(again.graph)).toEqual(inputsOf(graph));
	expect(again.dynamicPrompts).toEqual([]);
});

it.each(['subgraph/nested', 'links/primitives', 'group/values'])('%s has the values of some inputs only', (name) => {
	const { workflow, graph, count } = changeValues(name, (position) => position % 2 === 0);
	const written = writeValues(workflow, graph, definitions, options);
	expect(count).toBeGreaterThan(0);
	expect(inputsOf(convertWorkflow(written, definitions, options).graph)).toEqual(inputsOf(graph));
});
