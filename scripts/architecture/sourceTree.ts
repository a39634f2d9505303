import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

export interface SourceFile {
	/** Relative to the root of the project, as are the imports. */
	file: string;
	/** Files of the project that it imports; packages are left out. */
	imports: string[];
	/** Names that it declares and exports. A name that it only exports again is declared elsewhere. */
	names: string[];
	/** Types that it declares, exported or not, in any scope. */
	types: string[];
	lines: number;
}

const textOf = (node: ts.Node | undefined): string[] => (node !== undefined && ts.isStringLiteralLike(node) ? [node.text] : []);

/** Of `import … from`, `export … from`, `import()` and `typeof import()`: type imports count too. */
function importOf(node: ts.Node): string[] {
	if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier);
	if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal);
	if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return textOf(node.arguments[0]);
	return [];
}

const typeOf = (node: ts.Node): string[] =>
	(ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isClassLike(node) || ts.isEnumDeclaration(node)) &&
	node.name !== undefined
		? [node.name.text]
		: [];

/** What `read` returns for the node and for everything in it. */
const collect = (node: ts.Node, read: (node: ts.Node) => string[]): string[] => {
	const found = read(node);
	ts.forEachChild(node, (child) => {
		found.push(...collect(child, read));
	});
	return found;
};

const namesIn = (bound: ts.BindingName): string[] =>
	ts.isIdentifier(bound)
		? [bound.text]
		: bound.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : namesIn(element.name)));

function declaredBy(statement: ts.Statement): string[] {
	if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
	if (ts.isFunctionDeclaration(statement)) return statement.name === undefined ? [] : [statement.name.text];
	return typeOf(statement);
}

const isExported = (statement: ts.Statement): boolean =>
	ts.canHaveModifiers(statement) && (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** `export { here as there }` of something that this file declares. */
function listedIn(statement: ts.Statement, declared: string[]): string[] {
	if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) return [];
	if (statement.exportClause === undefined || !ts.isNamedExports(statement.exportClause)) return [];
	return statement.exportClause.elements.flatMap(({ name, propertyName }) =>
		declared.includes((propertyName ?? name).text) ? [name.text] : [],
	);
}

/** Undefined for packages and for files that are not TypeScript. */
function resolveImport(root: string, importer: string, specifier: string): string | undefined {
	if (!specifier.startsWith('.')) return undefined;
	const path = normalize(join(dirname(importer), specifier));
	return [`${path}.ts`, join(path, 'index.ts')].find((candidate) => existsSync(join(root, candidate)));
}

function readSource(root: string, file: string): SourceFile {
	const text = readFileSync(join(root, file), 'utf8');
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
	const { statements } = source;
	const declared = statements.flatMap(declaredBy);
	const names = statements.flatMap((statement) => (isExported(statement) ? declaredBy(statement) : listedIn(statement, declared)));
	const imports = collect(source, importOf).flatMap((specifier) => resolveImport(root, file, specifier) ?? []);
	return {
		file,
		imports: [...new Set(imports)],
		names: [...new Set(names)],
		types: [...new Set(collect(source, typeOf))],
		lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
	};
}

const isSource = (path: string): boolean => path.endsWith('.ts') && !path.endsWith('.d.ts') && !path.includes('node_modules/');

function filesBelow(root: string, folder: string): string[] {
	if (!existsSync(join(root, folder))) return [];
	return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter(isSource)
		.map((path) => join(folder, path))
		.sort();
}

/** Every source file below these folders. */
export const readSources = (root: string, folders: readonly string[]): SourceFile[] =>
	folders.flatMap((folder) => filesBelow(root, folder)).map((file) => readSource(root, file));
