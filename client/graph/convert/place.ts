import { type JsonRecord, textOr } from '../../decode';
import type { EditorNode } from './model';
import type { ConversionPlace } from '../../graphFaults';

/** As the frontend titles a node whose author gave no title. */
export const editorTitleOf = ({ title, className }: EditorNode, definition: JsonRecord | undefined): string =>
	title ?? textOr(definition?.display_name, undefined) ?? className;

export const placeOf = (node: EditorNode, definition: JsonRecord | undefined, input?: string): ConversionPlace => ({
	nodeId: node.id,
	title: editorTitleOf(node, definition),
	className: node.className,
	...(input === undefined ? {} : { input }),
});
