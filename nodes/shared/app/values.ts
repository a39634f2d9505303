import {
	type ApiGraph,
	type App,
	type AppInput,
	convertValue,
	GraphError,
	type GraphInput,
	type GraphInputFault,
	type InputValues,
	listInputs,
} from '../../../client';
import { definitionsAtRun, JUST_NOW_MS } from '../inputs/definitions';
import type { FileRow } from '../inputFiles/rows';
import { appInputWords, emptyAppInput, noAppAnyMore, notInApp } from '../messages/app';
import type { Words } from '../messages/words';
import { EmptyField, ItemFault } from '../itemFault';
import type { EnteredField } from './entered';
import { fieldId } from './fields';
import { type AppContext, fileRow } from './files';

/** What the form puts into the graph. */
export interface AppValues {
	values: InputValues;
	/** Files that are to be brought to the service, each for its input. */
	files: FileRow[];
	/** Names of the inputs that it sets (`12:3.seed`), and what the author calls them. */
	set: Map<string, string>;
}

export interface AppWorkflow {
	graph: ApiGraph;
	app?: App;
}

const faultOf = ({ message, advice }: Words): ItemFault => new ItemFault(message, advice);

async function asOfNow(context: AppContext, graph: ApiGraph, input: GraphInput): Promise<GraphInput> {
	const definitions = await definitionsAtRun(context, [graph[input.nodeId]?.class_type ?? ''], { olderThanMs: JUST_NOW_MS });
	return listInputs(graph, definitions).find(({ name, limits }) => name === input.name && limits !== undefined) ?? input;
}

function converted(input: GraphInput, words: string, value: unknown): unknown {
	try {
		return convertValue(input, value);
	} catch (error) {
		throw error instanceof GraphError ? faultOf(appInputWords(error.facts as GraphInputFault, words)) : error;
	}
}

const isNotOffered = ({ limits, kind }: GraphInput, value: unknown): boolean =>
	kind === 'choice' && !(limits?.choices ?? []).some((choice) => String(choice) === String(value));

/** An expression that found nothing is no value; an empty text is one, where a text is meant. */
function checkEmpty({ words, value }: EnteredField, { kind, role }: GraphInput): void {
	const isNone = value === undefined || value === null || (value === '' && (kind !== 'text' || role === 'file'));
	if (!isNone) return;
	const { message, advice } = emptyAppInput(words);
	throw new EmptyField(message, advice);
}

function chosen(app: App, graph: ApiGraph, { id, words }: EnteredField): AppInput {
	const found = app.inputs.find((one) => fieldId(one, graph) === id);
	if (found !== undefined) return found;
	throw faultOf(
		notInApp(
			words,
			app.inputs.map(({ label }) => label),
		),
	);
}

/**
 * What the filled fields of the form mean for the workflow as it is now.
 * @throws ItemFault that names the field: the app does not have it any more, or it cannot take the value.
 */
export async function appValues(context: AppContext, { graph, app }: AppWorkflow, entered: EnteredField[]): Promise<AppValues> {
	const found: AppValues = { values: {}, files: [], set: new Map() };
	if (entered.length === 0) return found;
	if (app === undefined) throw faultOf(noAppAnyMore(entered.map(({ words }) => words)));
	// All of them before anything is asked or sent.
	const fields = entered.map((field) => ({ field, one: chosen(app, graph, field) }));
	for (const { field, one } of fields) {
		const { input, also, label } = one;
		checkEmpty(field, input);
		for (const place of [input, ...also]) {
			found.set.set(place.name, label);
			if (place.role === 'file') {
				found.files.push(await fileRow(context, graph, place, label, field.value));
				continue;
			}
			const current = isNotOffered(place, field.value) ? await asOfNow(context, graph, place) : place;
			found.values[place.nodeId] = { ...found.values[place.nodeId], [place.input]: converted(current, label, field.value) };
		}
	}
	return found;
}
