import { copyFileSync, existsSync, mkdirSync, readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';

import ts from 'typescript';

/** What the build copies as it is. */
const ASSETS = [
	{ folder: 'nodes', isAsset: (path: string) => path.endsWith('.node.json') },
	{ folder: 'icons', isAsset: (path: string) => path.endsWith('.svg') },
];

function copy(from: string, to: string): void {
	mkdirSync(dirname(to), { recursive: true });
	copyFileSync(from, to);
}

/** Copies icons and codex files, and again whenever one changes. @returns what ends it. */
export function watchAssets(root: string, outFolder: string): () => void {
	const watchers = ASSETS.map(({ folder, isAsset }) => {
		const take = (path: string): void => copy(join(root, folder, path), join(outFolder, folder, path));
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(isAsset).forEach(take);
		return watch(join(root, folder), { recursive: true }, (_event, path) => {
			if (path !== null && isAsset(path) && existsSync(join(root, folder, path))) take(path);
		});
	});
	return () => watchers.forEach((watcher) => watcher.close());
}

/** What TypeScript says when it has written everything out and waits for the next change. */
const WATCHING = 'Watching for file changes.';

interface SourceWatch {
	/** The project's own `tsconfig.json`. */
	config: string;
	/** Where the compiled files go; the whole tree at first, then what a change touches. */
	outFolder: string;
	/** Called after each build. Files with type errors are written too. */
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
