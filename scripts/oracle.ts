/**
 * `npm run oracle`: ComfyUI's own frontend, in each version that we follow, exports every graph in test/client/graph/convert/graphs
 * that is not refused. Its answers are recorded again, and compared with the earlier ones and with our converter.
 * Then each graph gets other values, these are written into its file, and the frontends export this file: it must become the graph
 * with the other values. With names (`npm run oracle -- links/`), only theirs. For the project's own checks: needs Chromium, and Python with pip once.
 * Exits with 0 if nothing differs, with 1 if something does, and with 2 if something is missing.
 */
import { exactText, writeValues } from '../client';
import { changeValues, CONTRADICTORY } from '../test/client/graph/write/support/changedValues';
import { converted } from '../test/client/graph/convert/support/converted';
import { differences } from '../test/client/graph/convert/support/compare';
import {
	DAY_OF_RECORDING,
	definitions,
	expectedDifferences,
	expectedOf,
	FRONTEND_VERSIONS,
	graphNames,
	graphText,
	type Output,
	record,
	recordingOf,
	wholeDefinitions,
} from '../test/client/graph/convert/support/recordings';
import { findChromium } from '../test/editor/support/browser';
import { ensureFrontend, openFrontend } from './oracle/page';
import { serve } from './oracle/serve';

const say = (text: string): void => console.log(text);

/** What each version of the frontend exports; an Error if it could not. */
type Exports = Map<string, Output | Error>;

/** Topics that were recorded with the scripts of packs, which are not part of this project. */
const OF_PACKS = ['packs', 'pack-widgets', 'everywhere'];

const topicOf = (name: string): string => name.slice(0, name.indexOf('/'));
const isAlike = (one: Output, other: Output): boolean => differences(one, other, definitions).length === 0;

/** Each topic has a separate page, because the frontend keeps state of earlier graphs. */
async function exportTopic(files: Array<[name: string, text: string]>, version: string, found: Map<string, Exports>): Promise<void> {
	const server = await serve({ frontend: await ensureFrontend(version), definitions: wholeDefinitions() });
	try {
		const frontend = await openFrontend(server.address);
		for (const [name, text] of files) {
			const output = await frontend.export(text).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
			found.set(name, (found.get(name) ?? new Map<string, Output | Error>()).set(version, output));
		}
		await frontend.close();
	} finally {
		server.close();
	}
}

/** @returns what differs, in a line each. */
function compare(name: string, version: string, output: Output | Error): string[] {
	if (output instanceof Error) return [`${version}: ${output.message}`];
	const before = recordingOf(name, version)?.output;
	if (before === undefined) say(`  new  ${name} (${version})`);
	const changed = before === undefined || isAlike(before, output) ? [] : [`${version}: the frontend answers otherwise than was recorded`];
	const ours = converted(graphText(name), definitions);
	if (ours.output === undefined) return [...changed, `refused: ${JSON.stringify(ours.refusals)}`];
	const expected = expectedDifferences(name, version);
	const unexpected = differences(ours.output, output, definitions).filter((difference) => !expected.includes(difference));
	return [...changed, ...unexpected.map((difference) => `${version}: ${difference}`)];
}

/** Versions that export the same share a recording. */
function recordAll(name: string, exported: Exports): void {
	const outputs = [...exported].filter((entry): entry is [string, Output] => !(entry[1] instanceof Error));
	const groups: Array<{ frontends: string[]; output: Output }> = [];
	for (const [version, output] of outputs) {
		const same = groups.find((group) => isAlike(group.output, output) && isAlike(output, group.output));
		if (same === undefined) groups.push({ frontends: [version], output });
		else same.frontends.push(version);
	}
	if (outputs.length === FRONTEND_VERSIONS.length) record(name, groups);
}

/** @returns how many of the graphs differ. */
async function checkTopic(names: string[]): Promise<number> {
	const found = new Map<string, Exports>();
	const files = names.map((name): [string, string] => [name, graphText(name)]);
	for (const version of FRONTEND_VERSIONS) await exportTopic(files, version, found);
	let unequal = 0;
	for (const [name, exported] of found) {
		const different = [...exported].flatMap(([version, output]) => compare(name, version, output));
		recordAll(name, exported);
		if (different.length > 0) unequal++;
		say([`${different.length === 0 ? '✓' : '✗'} ${name}`, ...different].join('\n    '));
	}
	return unequal;
}

/** After another option of this optional dynamic choice, the frontend puts the value of a control into the next input. Not solved yet. */
const OPEN_DIFFERENCE = '162 (O_dyn): tail';

/** @returns how many of the files with other values the frontends export otherwise. */
async function checkWrittenTopic(names: string[]): Promise<{ count: number; unequal: number }> {
	const written = names.flatMap((name) => writeChanged(name) ?? []);
	const found = new Map<string, Exports>();
	for (const version of FRONTEND_VERSIONS)
		await exportTopic(
			written.map(({ name, text }) => [name, text]),
			version,
			found,
		);
	let unequal = 0;
	for (const { name, graph } of written) {
		const different = [...(found.get(name) ?? [])].flatMap(([version, output]) => {
			if (output instanceof Error) return [`${version}: ${output.message}`];
			const expected = new Set([...expectedDifferences(name, version).map(toInput), OPEN_DIFFERENCE]);
			return differences(graph, output, definitions)
				.filter((difference) => !expected.has(toInput(difference)))
				.map((difference) => `${version}: ${difference}`);
		});
		if (different.length > 0) unequal++;
		say([`${different.length === 0 ? '✓' : '✗'} ${name} with other values`, ...different].join('\n    '));
	}
	return { count: written.length, unequal };
}

/** @returns the node and the input that a difference is about: its value is another one. */
const toInput = (difference: string): string => difference.split(' is ')[0] ?? difference;

function writeChanged(name: string): { name: string; text: string; graph: Output } | undefined {
	const { workflow, graph } = changeValues(name, () => true);
	const file = writeValues(workflow, graph, definitions, { now: DAY_OF_RECORDING });
	return file && { name, text: exactText(file), graph: graph as Output };
}

async function main(wanted: string[]): Promise<number> {
	findChromium();
	const names = graphNames().filter(
		(name) =>
			!OF_PACKS.includes(topicOf(name)) &&
			expectedOf(name).refusals === undefined &&
			(wanted.length === 0 || wanted.some((start) => name.startsWith(start))),
	);
	let unequal = 0;
	const written = { count: 0, unequal: 0 };
	for (const topic of new Set(names.map(topicOf))) {
		const ofTopic = names.filter((name) => topicOf(name) === topic);
		unequal += await checkTopic(ofTopic);
		const result = await checkWrittenTopic(ofTopic.filter((name) => !CONTRADICTORY.includes(name)));
		written.count += result.count;
		written.unequal += result.unequal;
	}
	const frontends = `ComfyUI's frontends ${FRONTEND_VERSIONS.join(' and ')} export them`;
	say(`\n${names.length - unequal} of ${names.length} graphs are as ${frontends}`);
	say(`${written.count - written.unequal} of ${written.count} files with other values are as ${frontends}`);
	return unequal + written.unequal === 0 ? 0 : 1;
}

void main(process.argv.slice(2)).then(
	(exitCode) => process.exit(exitCode),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(2);
	},
);
