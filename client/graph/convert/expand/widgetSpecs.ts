import { isRecord } from '../../../decode';
import type { Definitions } from '../../form';
import { definitionOf } from '../../form/definition';
import type { EditorNode } from '../model';
import { type InputSpec, widgetsOf } from '../widgets';
import type { WidgetSpecs } from './promoted';

const NONE: ReadonlyMap<string, InputSpec> = new Map<string, InputSpec>();

/** The widgets of a node that are inputs as well: what a seed does from run to run is none. */
export function widgetSpecsBy(definitions: Definitions): WidgetSpecs {
	const known = new Map<EditorNode, ReadonlyMap<string, InputSpec>>();
	const find = (node: EditorNode): ReadonlyMap<string, InputSpec> => {
		const definition = definitionOf(definitions, node.className);
		if (definition === undefined) return NONE;
		const groups = isRecord(definition.input) ? Object.values(definition.input).filter(isRecord) : [];
		const isInput = (name: string): boolean => groups.some((group) => Object.hasOwn(group, name.split('.')[0] ?? name));
		return new Map([...widgetsOf(node, definition).specs].filter(([name]) => isInput(name)));
	};
	return (node) => {
		const specs = known.get(node) ?? find(node);
		known.set(node, specs);
		return specs;
	};
}
