import { isRecord } from '../../../decode';
import type { Definitions } from '../../form';
import { definitionOf } from '../../form/definition';
import type { EditorNode } from '../model';
import { widgetsOf } from '../widgets';
import type { WidgetNames } from './promoted';

const NONE: ReadonlySet<string> = new Set();

/** The widgets of a node that are inputs as well: what a seed does from run to run is none. */
export function widgetNamesBy(definitions: Definitions): WidgetNames {
	const known = new Map<EditorNode, ReadonlySet<string>>();
	const find = (node: EditorNode): ReadonlySet<string> => {
		const definition = definitionOf(definitions, node.className);
		if (definition === undefined) return NONE;
		const groups = isRecord(definition.input) ? Object.values(definition.input).filter(isRecord) : [];
		const isInput = (name: string): boolean => groups.some((group) => Object.hasOwn(group, name.split('.')[0] ?? name));
		return new Set([...widgetsOf(node, definition).held.keys()].filter(isInput));
	};
	return (node) => {
		const names = known.get(node) ?? find(node);
		known.set(node, names);
		return names;
	};
}
