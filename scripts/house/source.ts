import ts from 'typescript';

export interface Source {
	/** As written: relative paths and packages. */
	imports: string[];
	/** What it defines and exports; what a door passes on is defined elsewhere. */
	names: string[];
	lines: number;
}

const textOf = (node: ts.Node | undefined): string[] => (node !== undefined && ts.isStringLiteralLike(node) ? [node.text] : []);

/** Of `import … from`, `export … from`, `import()` and `typeof import()`: each is something to stand on, types included. */
function importOf(node: ts.Node): string[] {
	if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier);
	if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal);
	if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return textOf(node.arguments[0]);
	return [];
}

function importsIn(node: ts.Node): string[] {
	const found = importOf(node);
	ts.forEachChild(node, (child) => {
		found.push(...importsIn(child));
	});
	return found;
}

const namesIn = (bound: ts.BindingName): string[] =>
	ts.isIdentifier(bound)
		? [bound.text]
		: bound.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : namesIn(element.name)));

function declaredBy(statement: ts.Statement): string[] {
	if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
	const isNamed =
		ts.isFunctionDeclaration(statement) ||
		ts.isClassDeclaration(statement) ||
		ts.isInterfaceDeclaration(statement) ||
		ts.isTypeAliasDeclaration(statement) ||
		ts.isEnumDeclaration(statement);
	return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

const isExported = (statement: ts.Statement): boolean =>
	ts.canHaveModifiers(statement) && (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** `export { here as there }` of something that this file declares. */
function listed(statement: ts.Statement, declared: string[]): string[] {
	if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) return [];
	if (statement.exportClause === undefined || !ts.isNamedExports(statement.exportClause)) return [];
	return statement.exportClause.elements.flatMap(({ name, propertyName }) =>
		declared.includes((propertyName ?? name).text) ? [name.text] : [],
	);
}

export function readSource(file: string, text: string): Source {
	const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
	const declared = statements.flatMap(declaredBy);
	const names = statements.flatMap((statement) => (isExported(statement) ? declaredBy(statement) : listed(statement, declared)));
	return {
		imports: statements.flatMap(importsIn),
		names: [...new Set(names)],
		lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
	};
}
