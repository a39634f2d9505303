import type { Progress } from './progress';

/** The lines of pnpm's `ndjson` reporter that tell how far it is. */
interface ReportLine {
	name?: string;
	status?: string;
	stage?: string;
	depPath?: string;
	script?: string;
	message?: string;
	level?: string;
	line?: string;
	exitCode?: number;
	err?: { message?: string };
}

/** The end of what a compiler says holds the reason. */
const LAST_LINES = 20;
const CHATTER = /^gyp (info|verb|http)/;

const count = (counts: Map<string, number>, status: string) => counts.get(status) ?? 0;

export interface PnpmReport {
	onLine: (text: string) => void;
	problems: string[];
	/** Packages whose native part could not be built. */
	unbuilt: string[];
}

/**
 * Follows pnpm's `ndjson` report.
 * @returns a function that takes the report's lines, and what went wrong so far.
 */
export function followPnpm(progress: Progress): PnpmReport {
	const counts = new Map<string, number>();
	const problems: string[] = [];
	const unbuilt: string[] = [];
	/** By package: what its install script has said last. */
	const said = new Map<string, string[]>();

	function onLine(text: string) {
		let report: ReportLine;
		try {
			report = JSON.parse(text) as ReportLine;
		} catch {
			problems.push(text);
			return;
		}
		if (report.level === 'error') problems.push(report.err?.message ?? report.message ?? text);
		if (report.name === 'pnpm:progress' && report.status) {
			counts.set(report.status, count(counts, report.status) + 1);
			const ready = count(counts, 'fetched') + count(counts, 'found_in_store');
			const placed = count(counts, 'imported');
			progress.show('installing', `${count(counts, 'resolved')} packages known, ${ready} fetched, ${placed} in place`);
		} else if (report.name === 'pnpm:lifecycle') {
			onScript(report);
		}
	}

	function onScript({ depPath = 'native parts', script, line, exitCode = 0 }: ReportLine) {
		const lines = said.get(depPath) ?? [];
		if (script) progress.show(`building ${depPath}`);
		if (line && !CHATTER.test(line)) said.set(depPath, [...lines, line].slice(-LAST_LINES));
		if (exitCode === 0) return;
		unbuilt.push(depPath);
		problems.push(`${depPath} could not be built:`, ...lines);
	}
	return { onLine, problems, unbuilt };
}
