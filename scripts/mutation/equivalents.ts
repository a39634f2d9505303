/** A mutant that no test can detect, because the mutated code does the same. */
export interface EquivalentMutant {
	file: string;
	/** The whole source line that it changes, trimmed. */
	line: string;
	replacement: string;
	reason: string;
}

export const EQUIVALENTS: EquivalentMutant[] = [];
