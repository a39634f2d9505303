import { EQUIVALENTS } from './equivalents';

/** What Stryker writes of one mutant. Lines and columns are counted from 1. */
interface Mutant {
	mutatorName: string;
	replacement?: string;
	status: string;
	location: { start: { line: number; column: number } };
}

/** The part of Stryker's report that is read. */
export interface StrykerReport {
	files: Record<string, { source: string; mutants: Mutant[] }>;
}

export interface Survivor {
	/** `file:line:column`. */
	place: string;
	line: string;
	mutatorName: string;
	replacement: string;
	/** No test runs it. */
	isUncovered: boolean;
}

export interface ModuleScore {
	detected: number;
	/** Without the mutants that are listed as equivalent. */
	total: number;
	/** Percent; 100 if there are no mutants. */
	score: number;
	survivors: Survivor[];
	equivalent: number;
}

const DETECTED: ReadonlySet<string> = new Set(['Killed', 'Timeout']);
const UNDETECTED: ReadonlySet<string> = new Set(['Survived', 'NoCoverage']);

export function scoreOf({ files }: StrykerReport): ModuleScore {
	let [detected, equivalent] = [0, 0];
	const survivors: Survivor[] = [];
	for (const [file, { source, mutants }] of Object.entries(files)) {
		const lines = source.split('\n');
		for (const { mutatorName, replacement = '', status, location } of mutants) {
			if (DETECTED.has(status)) detected += 1;
			if (!UNDETECTED.has(status)) continue;
			const { line: number, column } = location.start;
			const line = lines[number - 1]?.trim() ?? '';
			const isEquivalent = EQUIVALENTS.some((one) => one.file === file && one.line === line && one.replacement === replacement);
			if (isEquivalent) equivalent += 1;
			else {
				const isUncovered = status === 'NoCoverage';
				survivors.push({ place: `${file}:${number}:${column}`, line, mutatorName, replacement, isUncovered });
			}
		}
	}
	const total = detected + survivors.length;
	return { detected, total, score: total === 0 ? 100 : (100 * detected) / total, survivors, equivalent };
}
