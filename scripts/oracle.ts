/**
 * `npm run oracle`: ComfyUI's own frontend exports every graph in test/client/graph/convert/graphs that is not to be refused; what it answers is recorded
 * anew, and compared with what was recorded and with our converter. With names (`npm run oracle -- links/`), only theirs.
 * For the project's own checks: needs a Chromium, and Python with pip once. Exit 0 only without a difference, 2 where something is missing.
 */
import { converted } from '../test/client/graph/convert/support/converted';
import { differences } from '../test/client/graph/convert/support/compare';
import {
	definitions,
	expectedOf,
	graphNames,
	graphText,
	record,
	type Recording,
	recordingText,
	textOf,
	wholeDefinitions,
} from '../test/client/graph/convert/support/recordings';
import { findChromium } from '../test/editor/support/findChromium';
import { ensureFrontend, FRONTEND_VERSION } from './oracle/frontend';
import { type Frontend, openFrontend } from './oracle/page';
import { missingPacks, packScripts, type Scripts } from './oracle/packs';
import { serve } from './oracle/serve';

const say = (text: string): void => console.log(text);

/** @returns what differs, in a line each. */
async function check(name: string, frontend: Frontend): Promise<string[]> {
	const text = graphText(name);
	const { output, unknown } = await frontend.export(text);
	const recording = { frontend: FRONTEND_VERSION, unknown, output } as Recording;
	const before = recordingText(name);
	record(name, recording);
	const changed = before === undefined || before === textOf(recording) ? [] : ['the frontend answers otherwise than was recorded'];
	if (before === undefined) say(`  new  ${name}`);
	const ours = converted(text, definitions);
	if (ours.output !== undefined)
		return [
			...changed,
			...differences(ours.output, recording.output, definitions).filter(
				(difference) => expectedOf(name).differences?.includes(difference) !== true,
			),
		];
	return [...changed, `refused: ${JSON.stringify(ours.refusals)}`];
}

const topicOf = (name: string): string => name.slice(0, name.indexOf('/'));

/** A page for each topic: the frontend keeps some of what earlier graphs were. @returns how many of them differ. */
async function checkAll(names: string[], extensions: Scripts): Promise<number> {
	const server = await serve({ frontend: await ensureFrontend(), definitions: wholeDefinitions(), ...extensions });
	try {
		let unequal = 0;
		for (const topic of new Set(names.map(topicOf)))
			unequal += await checkTopic(
				names.filter((name) => topicOf(name) === topic),
				server.address,
			);
		return unequal;
	} finally {
		server.close();
	}
}

async function checkTopic(names: string[], address: string): Promise<number> {
	const frontend = await openFrontend(address);
	try {
		let unequal = 0;
		for (const name of names) {
			const found = await check(name, frontend).catch((error: unknown) => [String(error)]);
			if (found.length > 0) unequal++;
			say([`${found.length === 0 ? '✓' : '✗'} ${name}`, ...found].join('\n    '));
		}
		return unequal;
	} finally {
		await frontend.close();
	}
}

const OF_PACKS = 'packs/';
const PLAIN: Scripts = { folders: new Map(), scripts: [], written: new Map() };

async function main(wanted: string[]): Promise<number> {
	findChromium();
	const names = graphNames().filter(
		(name) => expectedOf(name).refusals === undefined && (wanted.length === 0 || wanted.some((start) => name.startsWith(start))),
	);
	const [ofPacks, plain] = [names.filter((name) => name.startsWith(OF_PACKS)), names.filter((name) => !name.startsWith(OF_PACKS))];
	let unequal = plain.length === 0 ? 0 : await checkAll(plain, PLAIN);
	const missing = missingPacks();
	if (ofPacks.length > 0 && missing === undefined) unequal += await checkAll(ofPacks, packScripts());
	if (ofPacks.length > 0 && missing !== undefined) say(`\nNot run: ${ofPacks.length} graphs of packs, which need clones of ${missing}`);
	const run = missing === undefined ? names.length : plain.length;
	say(`\n${run - unequal} of ${run} graphs are as ComfyUI's frontend ${FRONTEND_VERSION} exports them`);
	return unequal === 0 ? 0 : 1;
}

void main(process.argv.slice(2)).then(
	(exitCode) => process.exit(exitCode),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(2);
	},
);
