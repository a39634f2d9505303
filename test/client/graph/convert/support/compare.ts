import { isExactNumber } from '../../../../../client/json/numbers';
import type { Definitions } from '../../../../../client';
import type { Recording } from './recordings';

type Node = Recording['output'][string];

/** A dynamic choice or a growing group has inputs of its own, named `<choice>.<input>`. They belong to the class as well. */
function isDefined(definition: unknown, input: string): boolean {
	const { input: groups = {} } = (definition ?? {}) as { input?: Record<string, object> };
	const [first = input] = input.split('.');
	return [groups.required, groups.optional].some(
		(group) => group !== undefined && (Object.hasOwn(group, input) || Object.hasOwn(group, first)),
	);
}

/** A list's value is wrapped, so that it is not read as a link; the server takes it as what it holds. Version 1.58.1 wraps curves, too, with their type. The browser keeps no more digits than a double. */
function plain(value: unknown): unknown {
	if (isExactNumber(value)) return Number(value.value);
	if (Array.isArray(value)) return value.map(plain);
	if (typeof value !== 'object' || value === null) return value;
	if ('__value__' in value && Object.keys(value).every((key) => key === '__value__' || key === '__type__')) return plain(value.__value__);
	const sorted = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
	return Object.fromEntries(sorted.map(([name, one]) => [name, plain(one)]));
}

const describeValue = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(plain(value)));

/** For a node without a title, the frontend uses a table of names that is older than some definitions. */
const isSameTitle = (ours: Node, theirs: Node, definition: unknown): boolean =>
	ours._meta?.title === theirs._meta?.title ||
	ours._meta?.title === ((definition as { display_name?: string } | undefined)?.display_name ?? theirs.class_type);

function* differencesOfNode(id: string, ours: Node, theirs: Node, definition: unknown): Generator<string> {
	if (ours.class_type !== theirs.class_type) yield `${id}: class ${ours.class_type}, the frontend has ${theirs.class_type}`;
	if (!isSameTitle(ours, theirs, definition))
		yield `${id}: title ${describeValue(ours._meta?.title)}, the frontend has ${describeValue(theirs._meta?.title)}`;
	for (const input of new Set([...Object.keys(theirs.inputs), ...Object.keys(ours.inputs)])) {
		const [one, other] = [describeValue(ours.inputs[input]), describeValue(theirs.inputs[input])];
		if (one !== other && isDefined(definition, input)) yield `${id} (${theirs.class_type}): ${input} is ${one}, the frontend has ${other}`;
	}
}

/** Compares nodes, classes, titles, and the values and links of defined inputs. The server ignores other inputs. */
export function differences(ours: Recording['output'], theirs: Recording['output'], definitions: Definitions): string[] {
	const found: string[] = [];
	for (const id of Object.keys(ours)) if (!Object.hasOwn(theirs, id)) found.push(`${id} (${ours[id]?.class_type}) is too many`);
	for (const [id, node] of Object.entries(theirs)) {
		const own = Object.hasOwn(ours, id) ? ours[id] : undefined;
		if (own === undefined) found.push(`${id} (${node.class_type}) is missing`);
		else found.push(...differencesOfNode(id, own, node, definitions[node.class_type]));
	}
	return found;
}
