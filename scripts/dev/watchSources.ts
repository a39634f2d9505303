import ts from 'typescript';

/** What TypeScript says when it has written everything out and waits for the next change. */
const WATCHING = 'Watching for file changes.';

export interface SourceWatch {
	/** The project's own `tsconfig.json`. */
	config: string;
	/** Where the compiled files go; the whole tree at first, then what a change touches. */
	outFolder: string;
	/** After each round. What does not type-check is written all the same. */
	onBuilt: (errors: number) => void;
	/** Each complaint of the compiler, for people. */
	onProblem: (text: string) => void;
}

/** Compiles, and again whenever a source changes. @returns what ends it. */
export function watchSources({ config, outFolder, onBuilt, onProblem }: SourceWatch): () => void {
	const formatHost: ts.FormatDiagnosticsHost = {
		getCanonicalFileName: (path) => path,
		getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
		getNewLine: () => '\n',
	};
	const host = ts.createWatchCompilerHost(
		config,
		{ outDir: outFolder },
		ts.sys,
		ts.createEmitAndSemanticDiagnosticsBuilderProgram,
		(problem) => onProblem(ts.formatDiagnostic(problem, formatHost).trimEnd()),
		({ messageText }, _newLine, _options, errors) => {
			if (ts.flattenDiagnosticMessageText(messageText, '\n').includes(WATCHING)) onBuilt(errors ?? 0);
		},
	);
	const program = ts.createWatchProgram(host);
	return () => program.close();
}
