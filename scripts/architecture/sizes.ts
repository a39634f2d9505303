import { ALLOWED_TYPES, MOST_ALLOWED_TYPES } from './allowed';
import { readSources, type SourceFile } from './sourceTree';

/** A larger count fails. */
export const SIZE_LIMITS = {
	'files of 20 lines or fewer': 20,
	'files of up to 40 lines with one importer': 20,
	'type names declared in two files': 0,
	'files above 300 lines': 0,
} satisfies Record<string, number>;

export type SizeName = keyof typeof SIZE_LIMITS;

/** The files or types that each count consists of. */
export type Sizes = Record<SizeName, string[]>;

const PRODUCT_FOLDERS = ['client', 'nodes'];
const OTHER_FOLDERS = ['sandbox', 'scripts', 'test'];
const GENERATED = 'client/generated/';

const describeFiles = (files: SourceFile[]): string[] => files.map(({ file, lines }) => `${file} (${lines})`);

function findWithOneImporter(files: SourceFile[]): SourceFile[] {
	const importers = new Map<string, number>();
	for (const imported of files.flatMap(({ imports }) => imports)) importers.set(imported, (importers.get(imported) ?? 0) + 1);
	return files.filter(({ file }) => importers.get(file) === 1);
}

/** By name, the files that declare a type of that name, if there are several. */
function findRepeatedTypes(files: SourceFile[]): Map<string, string[]> {
	const filesOf = new Map<string, string[]>();
	for (const { file, types } of files) for (const type of types) filesOf.set(type, [...(filesOf.get(type) ?? []), file]);
	return new Map([...filesOf].filter(([, declaring]) => declaring.length > 1));
}

/** Of `client/` and `nodes/` together, without generated files; for files above 300 lines, of all our TypeScript. */
export function measureSizes(root: string): Sizes {
	const product = readSources(root, PRODUCT_FOLDERS).filter(({ file }) => !file.startsWith(GENERATED));
	const all = [...product, ...readSources(root, OTHER_FOLDERS)];
	return {
		'files of 20 lines or fewer': describeFiles(product.filter(({ lines }) => lines <= 20)),
		'files of up to 40 lines with one importer': describeFiles(findWithOneImporter(product).filter(({ lines }) => lines <= 40)),
		'type names declared in two files': [...findRepeatedTypes(product)].map(([name, files]) => `${name}: ${files.join(', ')}`),
		'files above 300 lines': describeFiles(all.filter(({ lines }) => lines > 300)),
	};
}

const nameIn = (described: string): string => described.slice(0, described.indexOf(':'));

/** The sizes without the types that may be declared twice. */
export const withoutAllowed = (sizes: Sizes, allowed: Readonly<Record<string, string>> = ALLOWED_TYPES): Sizes => ({
	...sizes,
	'type names declared in two files': sizes['type names declared in two files'].filter((line) => allowed[nameIn(line)] === undefined),
});

/** One line for each count above its limit; empty if there is none. */
export function findSizeFaults(
	sizes: Sizes,
	limits: Readonly<Record<SizeName, number>> = SIZE_LIMITS,
	allowed: Readonly<Record<string, string>> = ALLOWED_TYPES,
): string[] {
	const repeated = sizes['type names declared in two files'].map(nameIn);
	const reasons = Object.keys(allowed);
	const counted = Object.entries(withoutAllowed(sizes, allowed)) as Array<[SizeName, string[]]>;
	const aboveLimit = counted
		.filter(([name, found]) => found.length > limits[name])
		.map(([name, found]) => `${found.length} ${name}; the limit is ${limits[name]}`);
	const outdated = reasons
		.filter((name) => !repeated.includes(name))
		.map((name) => `the type ${name} is allowed twice, but not declared twice`);
	const tooMany =
		reasons.length > MOST_ALLOWED_TYPES ? [`${reasons.length} types are allowed twice; at most ${MOST_ALLOWED_TYPES} may be`] : [];
	return [...aboveLimit, ...outdated, ...tooMany];
}
