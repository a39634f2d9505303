import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../n8nHost/paths';
import { allMessages, type Message } from './messages';

export const TROUBLESHOOTING = 'docs/troubleshooting.md';
const BEGIN = '<!-- From here to the end: every message, read from the code. `npm run docs` writes it. -->';

/** Headings, with the places of the code whose messages stand below them. The first that fits counts. */
const GROUPS: ReadonlyArray<readonly [heading: string, places: readonly string[]]> = [
	[
		'Address, credential and connection',
		['shared/messages/connection', 'shared/messages/otherServer', 'shared/connect/', 'shared/workflows/inEditor'],
	],
	['The model router', ['ComfyRunRouterModel/', 'shared/messages/tables/router', 'shared/messages/modelInput']],
	[
		'Paying once, and answers that were lost',
		['shared/messages/unknownOutcome', 'shared/submission/', 'shared/messages/madeByFilter', 'ComfyManageJobs/job/'],
	],
	['Stopping', ['shared/messages/stopping']],
	['Files', ['shared/files/', 'shared/inputFiles/', 'shared/messages/webFile', 'ComfyUploadAsset/', 'shared/app/files']],
	[
		'The workflow and its inputs',
		[
			'shared/messages/',
			'shared/workflows/',
			'shared/inputs/',
			'shared/app/',
			'ComfyRunWorkflow/',
			'ComfySubmitWorkflow/',
			'ComfyGetWorkflow/',
		],
	],
	['Jobs', ['shared/jobs/', 'ComfyManageJobs/', 'ComfyWaitForJob/', 'ComfyDownloadOutputs/']],
	['Other fields', ['']],
];

/** What the service says is told apart: it comes by the tables of refusals. */
const REFUSALS = ['shared/messages/tables/'];

const placeOf = ({ file }: Message): string => file.replace(/^nodes\//, '');

const headingOf = (message: Message): string => {
	const place = placeOf(message);
	const isRefusal = REFUSALS.some((folder) => place.startsWith(folder)) && !place.includes('/router');
	if (isRefusal) return 'What the service answers';
	return GROUPS.find(([, places]) => places.some((one) => place.startsWith(one)))?.[0] ?? '';
};

const row = ({ text, advice }: Message): string =>
	`| ${[text, advice].map((one) => one.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`;

/** By its first word that is not filled in. */
const sortKey = ({ text }: Message): string => text.replace(/^[^\p{L}]+/u, '').toLowerCase();

function section(heading: string, messages: Message[]): string {
	const sorted = [...messages].sort((one, other) => sortKey(one).localeCompare(sortKey(other), 'en'));
	return [`### ${heading}`, '', '| You read | What to do |', '|---|---|', ...sorted.map(row)].join('\n');
}

/** The page as it should be: what people wrote, then what the code says. */
export function writtenTroubleshooting(page: string): string {
	const [own = ''] = page.split(BEGIN);
	const messages = allMessages();
	const headings = ['What the service answers', ...GROUPS.map(([heading]) => heading)];
	const sections = headings.flatMap((heading) => {
		const ofIt = messages.filter((message) => headingOf(message) === heading);
		return ofIt.length > 0 ? [section(heading, ofIt)] : [];
	});
	return `${own.trimEnd()}\n\n${BEGIN}\n\n## Every message\n\n\`…\` stands for what is filled in: a name, an address, the service’s own words.\n\n${sections.join('\n\n')}\n`;
}

export const readTroubleshooting = (): string => readFileSync(join(projectRoot, TROUBLESHOOTING), 'utf8');

export function updateTroubleshooting(): void {
	writeFileSync(join(projectRoot, TROUBLESHOOTING), writtenTroubleshooting(readTroubleshooting()));
}
