import type { Module } from './tree';

/** Files that reach one another by imports: each circle with all of its files. Tarjan's walk. */
export function circlesIn(modules: Module[]): string[][] {
	const importsOf = new Map(modules.map(({ file, imports }) => [file, imports]));
	const seenAt = new Map<string, number>();
	const path: string[] = [];
	const circles: string[][] = [];

	function visit(file: string): number {
		const place = seenAt.size;
		seenAt.set(file, place);
		path.push(file);
		let reaches = place;
		for (const imported of importsOf.get(file) ?? []) {
			if (!importsOf.has(imported)) continue;
			if (!seenAt.has(imported)) reaches = Math.min(reaches, visit(imported));
			else if (path.includes(imported)) reaches = Math.min(reaches, seenAt.get(imported) ?? reaches);
		}
		if (reaches === place) {
			const circle = path.splice(path.indexOf(file));
			if (circle.length > 1 || importsOf.get(file)?.includes(file)) circles.push(circle.sort());
		}
		return reaches;
	}

	for (const { file } of modules) if (!seenAt.has(file)) visit(file);
	return circles;
}
