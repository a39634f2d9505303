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
	err?: { message?: string };
}

const count = (counts: Map<string, number>, status: string) => counts.get(status) ?? 0;

/**
 * Follows pnpm's `ndjson` report.
 * @returns a function that takes the report's lines, and the errors it has seen so far.
 */
export function followPnpm(progress: Progress): { onLine: (text: string) => void; problems: string[] } {
	const counts = new Map<string, number>();
	const problems: string[] = [];

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
		} else if (report.name === 'pnpm:lifecycle' && report.script) {
			progress.show(`building ${report.depPath ?? 'native parts'}`);
		}
	}
	return { onLine, problems };
}
