import type { Plan } from './floors';

export interface Room {
	name: string;
	/** From the top, beginning with 0. */
	floor: number;
}

/** What a file has of a room's name: all of it, or for a folder its beginning. */
function matched(file: string, pattern: string): string | undefined {
	const exact = pattern.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '[^/]*');
	return new RegExp(`^${exact}${pattern.endsWith('/') ? '' : '$'}`).exec(file)?.[0];
}

const patternsIn = ({ floors }: Plan): string[] => floors.flatMap((line) => line.split(' '));

/** Rooms of the plan in which no file is. */
export const emptyRooms = (files: readonly string[], plan: Plan): string[] =>
	patternsIn(plan).filter((pattern) => !files.some((file) => matched(file, pattern) !== undefined));

/** The innermost room that claims a file. */
export function roomOf(file: string, { floors }: Plan): Room | undefined {
	const rooms = floors.flatMap((line, floor) =>
		line.split(' ').flatMap((pattern) => {
			const name = matched(file, pattern);
			return name === undefined ? [] : [{ name, floor }];
		}),
	);
	return rooms.sort((left, right) => right.name.length - left.name.length)[0];
}
