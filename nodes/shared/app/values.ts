import type { IExecuteFunctions } from 'n8n-workflow';

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
	listOfferedFiles,
} from '../../../client';
import type { FileRow } from '../inputFiles/rows';
import { isEmptyFor, setInputValue } from '../inputs/chosenInput';
import { JUST_NOW_MS, type ReadDefinitions } from '../inputs/definitions';
import { checkPlaceholder } from '../inputs/placeholders';
import { EmptyField, ItemFault } from '../itemFault';
import { appInputWords, noAppAnyMore, noSuchFile, notInApp } from '../explain/appInputs';
import { messages } from '../messages/catalogue';
import { isExpression } from '../parameters';
import { type AppField, fieldId, isEmpty, isLeftAsSaved, toAppForm } from './fields';

/** A field of the form that the user has filled in. */
export interface EnteredField {
	id: string;
	/** The author's label when the field was filled in. */
	words: string;
	/** The value for the item. Expressions are resolved. */
	value: unknown;
	/** Whether the user entered the value itself, instead of an expression. */
	isEntered: boolean;
}

/**
 * Returns the fields whose values differ from the saved values that filled the form. All other inputs keep the values that
 * the workflow has now. The parameter is read as a whole, because n8n checks the types of single fields with its own messages.
 */
export function readFormFields(execution: IExecuteFunctions, itemIndex: number): EnteredField[] {
	const written = toAppForm(execution.getNode().parameters.appInputs);
	const { value, schema } = toAppForm(execution.getNodeParameter('appInputs', itemIndex, {}));
	const fields = new Map<string, AppField>((Array.isArray(schema) ? schema : []).map((field) => [field.id, field]));
	return Object.entries(value ?? {}).flatMap(([id, resolved]): EnteredField[] => {
		const field = fields.get(id);
		const raw = written.value?.[id];
		if (field?.removed === true || field?.readOnly === true || isEmpty(raw) || (field !== undefined && isLeftAsSaved(raw, field)))
			return [];
		return [{ id, words: field?.words ?? field?.displayName ?? id, value: resolved, isEntered: !isExpression(raw) }];
	});
}

/** What the form puts into the graph. */
export interface AppValues {
	values: InputValues;
	/** The files to send to the service, one for each file input. */
	files: FileRow[];
	/** The author's labels of the inputs that the form sets, by their names (`12:3.seed`). */
	labels: Map<string, string>;
}

/** Returns the values of a form in which nothing was entered. */
export const noAppValues = (): AppValues => ({ values: {}, files: [], labels: new Map() });

interface AppWorkflow {
	graph: ApiGraph;
	app?: App;
}

/** Where the values of the form may come from. */
export interface AppValueSources {
	/** The binary fields of the item. Empty for a tool, to which an agent passes no files. */
	binaryFields: string[];
	readDefinitions: ReadDefinitions;
}

/** Returns the input with its current definition, because a new choice may have been added since the last read. */
async function readCurrentInput(readDefinitions: ReadDefinitions, graph: ApiGraph, input: GraphInput): Promise<GraphInput> {
	const definitions = await readDefinitions([graph[input.nodeId]?.class_type ?? ''], { olderThanMs: JUST_NOW_MS });
	return listInputs(graph, definitions).find(({ name, limits }) => name === input.name && limits !== undefined) ?? input;
}

function convertFieldValue(input: GraphInput, words: string, { value, isEntered }: EnteredField): unknown {
	try {
		checkPlaceholder(input, value, isEntered);
		return convertValue(input, value);
	} catch (error) {
		throw error instanceof GraphError ? new ItemFault(appInputWords(error.facts as GraphInputFault, words)) : error;
	}
}

const isNotOffered = ({ limits, kind }: GraphInput, value: unknown): boolean =>
	kind === 'choice' && !(limits?.choices ?? []).some((choice) => String(choice) === String(value));

function checkEmpty({ words, value }: EnteredField, input: GraphInput): void {
	if (isEmptyFor(input, value)) throw new EmptyField(messages.APP_INPUT_EMPTY(words));
}

function findAppInput(app: App, graph: ApiGraph, { id, words }: EnteredField): AppInput {
	const appInput = app.inputs.find((input) => fieldId(input, graph) === id);
	if (appInput !== undefined) return appInput;
	throw new ItemFault(
		notInApp(
			words,
			app.inputs.map(({ label }) => label),
		),
	);
}

/**
 * Returns the values and files of the entered fields for the current workflow.
 * @throws ItemFault that names the field if the app no longer has it, or if it cannot take the value.
 */
export async function toAppValues(
	{ binaryFields, readDefinitions }: AppValueSources,
	{ graph, app }: AppWorkflow,
	entered: EnteredField[],
): Promise<AppValues> {
	const appValues = noAppValues();
	if (entered.length === 0) return appValues;
	if (app === undefined) throw new ItemFault(noAppAnyMore(entered.map(({ words }) => words)));
	// All fields are found before any request is sent.
	const fields = entered.map((field) => ({ field, appInput: findAppInput(app, graph, field) }));
	for (const { field, appInput } of fields) {
		const { label } = appInput;
		checkEmpty(field, appInput.input);
		for (const input of [appInput.input, ...appInput.also]) {
			appValues.labels.set(input.name, label);
			if (input.role === 'file') {
				appValues.files.push(await toFileRow({ binaryFields, readDefinitions }, graph, input, label, field.value));
				continue;
			}
			const current = isNotOffered(input, field.value) ? await readCurrentInput(readDefinitions, graph, input) : input;
			setInputValue(appValues.values, input, convertFieldValue(current, label, field));
		}
	}
	return appValues;
}

/** A file in another folder than the listed one. The service itself checks such names. */
const NAMES_FOLDER = /[/\\]|\[(input|output|temp)\]$/;
const HAS_EXTENSION = /\.\w{1,10}$/;

/** Returns whether the service has the file, or undefined if it does not list its files. */
async function isFileOffered(
	readDefinitions: ReadDefinitions,
	graph: ApiGraph,
	input: GraphInput,
	name: string,
): Promise<boolean | undefined> {
	const node = graph[input.nodeId];
	// A cached list may be older than the file.
	for (const olderThanMs of [Infinity, 0]) {
		const offered = node && listOfferedFiles(await readDefinitions([node.class_type], { olderThanMs }), node, input.input);
		if (offered === undefined) return undefined;
		if (offered.includes(name)) return true;
	}
	return false;
}

/**
 * Returns the row for a file input: the entered text names a binary field of the item, a URL, or a file of the service.
 * @throws ItemFault if it is none of them.
 */
async function toFileRow(
	{ binaryFields, readDefinitions }: AppValueSources,
	graph: ApiGraph,
	input: GraphInput,
	label: string,
	value: unknown,
): Promise<FileRow> {
	const row = { name: input.name, label, number: 0, displayName: `${label} of App Inputs` };
	const fileText = typeof value === 'string' ? value.trim() : value;
	if (typeof fileText !== 'string' || fileText.startsWith('{')) return { ...row, from: 'reference', value: fileText };
	if (binaryFields.includes(fileText)) return { ...row, from: 'binary', value: fileText };
	if (/^https?:\/\//i.test(fileText)) return { ...row, from: 'url', value: fileText };
	const isOffered = NAMES_FOLDER.test(fileText) ? true : await isFileOffered(readDefinitions, graph, input, fileText);
	if (isOffered ?? HAS_EXTENSION.test(fileText)) return { ...row, from: 'reference', value: fileText };
	throw new ItemFault(noSuchFile(label, fileText, binaryFields, isOffered === false));
}
