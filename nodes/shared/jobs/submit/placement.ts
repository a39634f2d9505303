/** Where the files of a job are uploaded, and how a pool of servers chooses the server of the job. */
import type { IDataObject } from 'n8n-workflow';

import {
	type ApiGraph,
	applyInputs,
	comparableFile,
	type Connection,
	type InputValues,
	type PlacementOptions,
	type PoolConnection,
} from '../../../../client';
import { placeFiles } from '../../inputFiles/placeFiles';
import type { FileRow, FileSettings } from '../../inputFiles/rows';
import { warnOnce } from '../../hints';
import { setInputValue, tryFindChosenInput } from '../../inputs/chosenInput';
import { wordsFor } from '../../explain/wordsFor';
import { messages } from '../../messages/catalogue';
import { reasonOf } from '../../messages/logLines';
import type { ItemRun } from '../../operation';
import type { SendSettings } from './settings';

export interface PreparedGraph {
	graph: ApiGraph;
	/** Uploads the files of the item, and returns the graph that uses them. Absent if the item has none. */
	placeFiles?(connection: Connection): Promise<ApiGraph>;
	/** Returns the graph to compare jobs with before the files are uploaded. Absent if the item has none. */
	comparable?(): ApiGraph;
	/** Recorded with the submission, so that every later try reports the same, even if the workflow has changed. */
	facts?: IDataObject;
}

/** Returns the prepared graph with a function that uploads these files and puts their references into it. */
export function addFilePlacement(item: ItemRun, prepared: PreparedGraph, files: FileSettings): PreparedGraph {
	if (files.rows.length === 0) return prepared;
	const { graph } = prepared;
	return {
		...prepared,
		comparable: () => withoutFiles(graph, files.rows),
		placeFiles: async (connection) => applyInputs(graph, await placeFiles(item, graph, files, connection)),
	};
}

function withoutFiles(graph: ApiGraph, rows: readonly FileRow[]): ApiGraph {
	const values: InputValues = {};
	for (const row of rows) {
		const input = tryFindChosenInput(graph, row);
		if (input !== undefined) setInputValue(values, input, comparableFile());
	}
	return applyInputs(graph, values);
}

/** A pool chooses the server of the job first, and the files are uploaded to that server. */
export async function placeFilesUnlessPool(connection: Connection, prepared: PreparedGraph): Promise<PreparedGraph> {
	const { graph, placeFiles } = prepared;
	if (isPool(connection)) return prepared;
	return { graph: (await placeFiles?.(connection)) ?? graph };
}

export const isPool = (connection: Connection): connection is PoolConnection => 'members' in connection;

/** How a pool places the job. @param placeFiles uploads the files of the job to the chosen server. */
export function toPlacementOptions(
	{ connection, credential, execution, itemIndex, isTool, signal }: ItemRun,
	{ isAwaited, whenLost }: Pick<SendSettings, 'isAwaited' | 'whenLost'>,
	{ placeFiles, comparable }: Pick<PreparedGraph, 'placeFiles' | 'comparable'>,
): PlacementOptions | undefined {
	if (!isPool(connection)) return undefined;
	const jobsToCome = isTool ? 0 : Math.max(0, execution.getInputData().length - itemIndex - 1);
	const placeOn =
		placeFiles &&
		(async (server: string): Promise<ApiGraph> => {
			const member = connection.members.find(({ address }) => address === server);
			if (member === undefined) throw new Error(`No server ${server}`);
			return await placeFiles(await member.open({ signal }));
		});
	const onLeftOut = (server: string, refusal: unknown): void =>
		warnOnce(execution, messages.SERVER_LEFT_OUT(server, reasonOf(refusal), wordsFor(refusal, credential)), `left out: ${server}`);
	return { isAwaited, whenLost, jobsToCome, onLeftOut, comparable, placeFiles: placeOn };
}
